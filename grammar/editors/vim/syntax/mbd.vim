" Vim syntax file
" Language: mbd, models of mechanical systems (*.mbd)
"
" The top level is the start of an element: there, and only there, statement keywords are keywords.
" The words are those of grammar/words.toml; a test holds the two together.

if exists('b:current_syntax')
  finish
endif

let s:keepcpo = &cpo
set cpo&vim

" --- words ---------------------------------------------------------------------------------------

let s:operators = 'and in not or'
let s:kinds = 'constant coordinate final inner input outer output parameter structural'
let s:energies = 'dissipation kinetic potential'
let s:acting = 'force friction'
let s:labelled = 'constraint equation initial limit'
let s:qualifiers = 'holonomic nonholonomic'
let s:actions = 'assert reinit terminate warn'
let s:types = 'Acceleration Angle AngularAcceleration AngularDamping AngularMomentum AngularStiffness'
let s:types .= ' AngularVelocity Area BendingStiffness Boolean Capacitance Charge Conductance Current'
let s:types .= ' Curvature Damping Density ElectricField Energy Force Frame Frequency Impulse Inductance'
let s:types .= ' Inertia Integer Length LinearDensity MagneticFlux MagneticFluxDensity Mass MassFlow'
let s:types .= ' Momentum Power Pressure Real Resistance Rotation Stiffness String Temperature Time Torque'
let s:types .= ' TorqueConstant Velocity Viscosity Voltage VoltageConstant Volume VolumeFlow'
let s:builtins = 'abs acos angularVelocity asin atan atan2 ceil cos cosh cross der diagonal dot eulerZYX'
let s:builtins .= ' exp floor identity interpolate log log10 max min norm ones product reaction rotAxis'
let s:builtins .= ' rotX rotY rotZ sign sin sinh size skew sqrt sum table tan tanh transpose zeros'
let s:shapes = 'box cylinder disc line sphere trail'
let s:constants = 'false pi time true'
let s:attributes = 'Interval StopTime Tolerance experiment guess guessRate max min nominal rate restitution'
let s:attributes .= ' start static stribeck unit viscous'
let s:annotations = 'Interval StopTime Tolerance experiment'

function! s:Any(words) abort
  return '\<\%(' . substitute(a:words, ' ', '\\|', 'g') . '\)\>'
endfunction

" --- patterns ------------------------------------------------------------------------------------

syn iskeyword @,48-57,_,192-255
syn sync fromstart

let s:name = '\%([[:alpha:]_]\|[^\x00-\x7f]\)\k*'
let s:dotted = s:name . '\%(\_s*\.\_s*' . s:name . '\)*'
let s:number = '\<[0-9]\+\%(\.[0-9]\+\)\=\%([eE][-+]\=[0-9]\+\)\='
let s:skip = ' skipwhite skipnl skipempty'

" A line that begins with one of these and a name begins a new element, whatever was left open before:
" an expression never has two names in a row.
let s:openers = 'end extends function import model partial record type visual servo'
let s:openers .= ' ' . join([s:kinds, s:energies, s:acting, s:labelled, s:qualifiers, s:actions])
let s:restart = '^\s*\%(' . s:Any(s:openers) . '\s\+\%([[:alpha:]_]\|[^\x00-\x7f]\)\)\@='

" The end of an element, and of a part of one that is given up where its element ends.
let s:end = ' matchgroup=mbdDelimiter end=";" matchgroup=NONE end="' . s:restart . '"me=s-1'
let s:giveup = ' matchgroup=NONE end=";"me=s-1 end="' . s:restart . '"me=s-1'

" --- comments, strings, numbers ------------------------------------------------------------------

syn match mbdComment "//.*$" contains=@Spell
syn region mbdComment start="/\*" end="\*/" contains=@Spell
" A string that is not closed ends with its line.
syn region mbdString start=+"+ skip=+\\.+ end=+"+ end=+$+ contains=@Spell
execute 'syn match mbdNumber contained "' . s:number . '\%(\[[^][\n\",;]*\]\)\="'

" --- expressions ---------------------------------------------------------------------------------

syn cluster mbdExpression contains=mbdComment,mbdString,mbdNumber,mbdName,mbdFunction,mbdBuiltin,mbdMember
syn cluster mbdExpression add=mbdOperator,mbdWordOperator,mbdExpressionKeyword,mbdConstant,mbdChoice
syn cluster mbdExpression add=mbdParentheses,mbdBraces,mbdBrackets

execute 'syn match mbdName contained "' . s:name . '"'
execute 'syn match mbdFunction contained "' . s:name . '\ze\_s*("'
execute 'syn match mbdBuiltin contained "' . s:Any(s:builtins) . '\ze\_s*("'
execute 'syn match mbdMember contained "\.\_s*' . s:name . '"'
syn match mbdOperator contained "\.\*\|\./\|<=\|>=\|==\|<>\|[-+^<>=:]\|/\%([/*]\)\@!\|\*"
execute 'syn keyword mbdWordOperator contained ' . s:operators
execute 'syn keyword mbdConstant contained ' . s:constants
syn keyword mbdExpressionKeyword contained end for
syn keyword mbdChoiceKeyword contained then elseif
" `if c then a else b` has a `then` of its own.
execute 'syn region mbdChoice contained matchgroup=mbdControl start="\<if\>" end="\<else\>"' . s:giveup
  \ . ' contains=@mbdExpression,mbdChoiceKeyword'
execute 'syn region mbdParentheses contained matchgroup=mbdDelimiter start="(" end=")"' . s:giveup
  \ . ' contains=@mbdExpression'
execute 'syn region mbdBraces contained matchgroup=mbdDelimiter start="{" end="}"' . s:giveup
  \ . ' contains=@mbdExpression'
" A semicolon in brackets parts the rows of a matrix.
execute 'syn region mbdBrackets contained matchgroup=mbdDelimiter start="\[" end="\]"'
  \ . ' matchgroup=NONE end="' . s:restart . '"me=s-1 contains=@mbdExpression'

" --- declarations --------------------------------------------------------------------------------

let s:inside = ' contains=mbdComment,mbdDeclarator,@mbdExpression'
execute 'syn region mbdDeclaration matchgroup=mbdClassName start="' . s:dotted . '"' . s:end . s:inside
execute 'syn region mbdDeclaration matchgroup=mbdType start="' . s:Any(s:types) . '\%(\_s*\.\)\@!"' . s:end
  \ . s:inside
execute 'syn region mbdDeclarator contained matchgroup=mbdVariable start="' . s:name . '"'
  \ . ' matchgroup=mbdDelimiter end=","' . s:giveup . ' contains=mbdModifications,mbdBinding,@mbdExpression'
execute 'syn region mbdBinding contained matchgroup=mbdOperator start="=" matchgroup=NONE end=","me=s-1'
  \ . s:giveup . ' contains=@mbdExpression'
execute 'syn region mbdModifications contained matchgroup=mbdDelimiter start="(" end=")"' . s:giveup
  \ . ' contains=mbdModifications,mbdFinal,mbdAttribute,@mbdExpression'
syn match mbdFinal contained "\<final\>"
execute 'syn match mbdAttribute contained "' . s:Any(s:attributes) . '\ze\_s*=\%(=\)\@!"'

execute 'syn match mbdKind "' . s:Any(s:kinds) . '"'

" --- classes -------------------------------------------------------------------------------------

syn match mbdKeyword "\<partial\>"
execute 'syn match mbdKeyword "\<\%(model\|record\)\>" nextgroup=mbdClassName' . s:skip
execute 'syn match mbdKeyword "\<function\>" nextgroup=mbdFunctionName' . s:skip
execute 'syn match mbdKeyword "\<end\>" nextgroup=mbdEndName,mbdEndKeyword' . s:skip
execute 'syn match mbdClassName contained "' . s:name . '"'
execute 'syn match mbdEndName contained "' . s:name . '"'
execute 'syn match mbdFunctionName contained "' . s:name . '"'
syn match mbdEndKeyword contained "\<\%(for\|if\|when\)\>"

let s:supertype = ' contains=mbdComment,mbdString,mbdModifications,mbdOperator,mbdBaseName,mbdBaseType'
execute 'syn match mbdKeyword "\<type\>" nextgroup=mbdTypeName' . s:skip
execute 'syn match mbdTypeName contained "' . s:name . '" nextgroup=mbdTypeBody' . s:skip
execute 'syn region mbdTypeBody contained matchgroup=mbdOperator start="="' . s:end . s:supertype
execute 'syn region mbdExtends matchgroup=mbdKeyword start="\<extends\>"' . s:end . s:supertype
execute 'syn match mbdBaseName contained "' . s:dotted . '"'
execute 'syn match mbdBaseType contained "' . s:Any(s:types) . '\%(\_s*\.\)\@!"'
execute 'syn region mbdImport matchgroup=mbdKeyword start="\<import\>"' . s:end
  \ . ' contains=mbdComment,mbdString,mbdPath'
execute 'syn match mbdPath contained "' . s:dotted . '"'
execute 'syn region mbdAnnotation matchgroup=mbdKeyword start="\<annotation\>"' . s:end . ' contains=mbdNotes'
execute 'syn region mbdNotes contained matchgroup=mbdDelimiter start="(" end=")"' . s:giveup
  \ . ' contains=mbdNotes,mbdNote,@mbdExpression'
execute 'syn match mbdNote contained "' . s:Any(s:annotations) . '\ze\_s*[=(]"'

" --- statements ----------------------------------------------------------------------------------

function! s:Statement(words, group, clause) abort
  let l:next = a:group . 'Gap,' . a:group . 'Label,' . a:group . 'Options,' . a:group . 'Body'
  execute 'syn match mbdStatement "' . s:Any(a:words) . '" nextgroup=' . l:next . s:skip
  execute 'syn match ' . a:group . 'Label contained "' . s:name . '" nextgroup='
    \ . a:group . 'Options,' . a:group . 'Body' . s:skip
  execute 'syn region ' . a:group . 'Options contained matchgroup=mbdDelimiter start="(" end=")"' . s:giveup
    \ . ' contains=mbdModifications,mbdFinal,mbdAttribute,@mbdExpression nextgroup=' . a:group . 'Body' . s:skip
  execute 'syn region ' . a:group . 'Body contained matchgroup=mbdDelimiter start=":"' . s:end
    \ . ' contains=@mbdExpression' . a:clause
  execute 'syn match ' . a:group . 'Gap contained "/\*\_.\{-}\*/\|//.*$" nextgroup=' . l:next . s:skip
  execute 'hi def link ' . a:group . 'Label mbdLabel'
  execute 'hi def link ' . a:group . 'Gap mbdComment'
endfunction

call s:Statement(s:acting, 'mbdActing', ',mbdOn')
call s:Statement('servo', 'mbdServo', ',mbdUsing')
call s:Statement(s:labelled, 'mbdLabelled', '')
syn match mbdOn contained "\<on\>"
syn match mbdUsing contained "\<using\>"

execute 'syn match mbdStatement "' . s:Any(s:qualifiers) . '"'
execute 'syn match mbdStatement "' . s:Any(s:energies) . '" nextgroup=mbdEnergyLabel,mbdEnergyBody' . s:skip
execute 'syn match mbdEnergyLabel contained "' . s:name . '" nextgroup=mbdEnergyBody' . s:skip
execute 'syn region mbdEnergyBody contained matchgroup=mbdOperator start="="' . s:end
  \ . ' contains=@mbdExpression'

execute 'syn region mbdAction matchgroup=mbdStatement start="' . s:Any(s:actions) . '"' . s:end
  \ . ' contains=@mbdExpression'
execute 'syn match mbdStatement "\<visual\>" nextgroup=mbdOtherShape,mbdShape' . s:skip
execute 'syn match mbdOtherShape contained "' . s:name . '" nextgroup=mbdVisualBody' . s:skip
execute 'syn match mbdShape contained "' . s:Any(s:shapes) . '" nextgroup=mbdVisualBody' . s:skip
execute 'syn region mbdVisualBody contained start="("rs=s-1 ' . s:end . ' contains=@mbdExpression,mbdOn'

execute 'syn region mbdLoop matchgroup=mbdControl start="\<for\>" end="\<loop\>"' . s:giveup
  \ . ' contains=@mbdExpression'
execute 'syn region mbdCondition matchgroup=mbdControl start="\<\%(if\|elseif\|when\)\>" end="\<then\>"'
  \ . s:giveup . ' contains=@mbdExpression'
syn match mbdControl "\<\%(else\|then\|loop\)\>"

" --- colours -------------------------------------------------------------------------------------

hi def link mbdComment Comment
hi def link mbdString String
hi def link mbdNumber Number
hi def link mbdFunction Function
hi def link mbdFunctionName Function
hi def link mbdOtherShape Function
hi def link mbdBuiltin Special
hi def link mbdShape Special
hi def link mbdConstant Constant
hi def link mbdOperator Operator
hi def link mbdWordOperator Operator
hi def link mbdControl Conditional
hi def link mbdExpressionKeyword Conditional
hi def link mbdChoiceKeyword Conditional
hi def link mbdEndKeyword Conditional
hi def link mbdKeyword Keyword
hi def link mbdStatement Statement
hi def link mbdOn Statement
hi def link mbdUsing Statement
hi def link mbdKind StorageClass
hi def link mbdFinal StorageClass
hi def link mbdType Type
hi def link mbdBaseType Type
hi def link mbdClassName Structure
hi def link mbdEndName Structure
hi def link mbdTypeName Structure
hi def link mbdBaseName Structure
hi def link mbdPath Include
hi def link mbdVariable Identifier
hi def link mbdLabel Label
hi def link mbdEnergyLabel mbdLabel
hi def link mbdAttribute Special
hi def link mbdNote Special

let b:current_syntax = 'mbd'

let &cpo = s:keepcpo
unlet s:keepcpo
