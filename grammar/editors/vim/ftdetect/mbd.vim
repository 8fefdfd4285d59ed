autocmd BufNewFile,BufRead *.mbd setfiletype mbd
