" Writes the highlight group of every character of the current buffer, a line of names for each line.
let s:lines = []
for s:row in range(1, line('$'))
  let s:text = getline(s:row)
  let s:groups = []
  for s:index in range(strchars(s:text))
    let s:column = byteidx(s:text, s:index) + 1
    call add(s:groups, synIDattr(synID(s:row, s:column, 1), 'name'))
  endfor
  call add(s:lines, join(s:groups, ','))
endfor
call writefile(s:lines, $COLOURS)
qall!
