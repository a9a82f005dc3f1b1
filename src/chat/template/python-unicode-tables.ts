// Written by scripts/generate-python-unicode.py from CPython 3.11, Unicode 14.

/** Code points without a character. Runs: gap and further length, in base 36. */
export const UNASSIGNED: string =
  'oo,1 6,3 7 1 k b1 12,1 1e,1 3 1j,7 r,3 6,a 7i 1o,1 2t,d 1n,1 1d,1 f s,1 1 b,4 v 2,5 6k 8,1 2,1 m 7 ' +
  '1,2 4,1 9,1 2,1 4,7 1,3 2 5,1 p,1 3 6,3 2,1 m 7 2 2 2,1 1 5,3 2,1 3,2 1,6 4 1,6 h,9 3 9 3 m 7 2 5,1 ' +
  'a 3 3,1 1,e 4,1 c,6 7 3 8,1 2,1 m 7 2 5,1 9,1 2,1 3,6 3,3 2 5,1 i,9 2 6,2 3 4,2 2 1 2,2 2,2 3,2 c,3 ' +
  '5,2 3 4,1 1,5 1,d l,4 d 3 n g,1 9 3 4,6 2 3,1 1,1 4,1 a,6 m 3 n a 5,1 9 3 4,6 2,5 2 4,1 a 2,c d 3 ' +
  '1f 3 6,3 g,1 q 3 i,2 o 9 1,1 7,2 1,3 6 1 8,5 a,1 3,b 1m,3 t,10 2 1 5 o 1 n,1 5 1 6,1 a,1 4,v 20 ' +
  '10,3 13 10 f d,10 5i 1,4 1,1 ah 4,1 7 1 4,1 15 4,1 x 4,1 7 1 4,1 f 1l 4,1 1v,1 w,2 q,5 2e,1 6,1 ' +
  'il,2 2h,6 m,8 o,8 k,b d 3 2,b 2m,1 a,5 a,5 q,5 2h,6 17,4 1y,9 v c,3 c,3 1,2 16,1 5,a 18,3 q,5 b,2 ' +
  '1q,1 1t t,1 b,5 a,5 e,1 v,1c 25,2 1b 38,7 1o,2 f,2 1o,6 17,1 b,7 17,4 eu,1 6,1 12,1 6,1 8 1 1 1 v,1 ' +
  '1h f e,1 6 j,1 3 9 2t c,1 r d,2 x,e x,e 3w,3 if,o b,k 1ec,1 w 9p,4 19 1,4 1,1 1k,6 2,d o,8 7 7 7 7 ' +
  '7 7 7 7 3i,x q 2h,b 5y,p c,3 1s 2e,1 2v,4 17 2m 2c,b 1b mlp,2 1j,8 9o,j 54,7 5n,4 2 1 5,n 1n,2 a,5 ' +
  '1k,7 1y,7 c,5 38,a u,2 26 b,3 x 1j,8 e,1 a,1 2v,n s,9 6,1 6,1 6,8 7 7 1o,3 3i,1 a,5 8mc,b n,3 1d,3 ' +
  '6su,1 2y,11 7,b 5,4 q 5 1 2 2 3h,f cd,1 1i,6 1,v 16,5 1f j 4,3 5 3r,1 1 5a,2 6,1 6,1 6,1 3,2 7 7,9 ' +
  '5,1 c q j 2 f,1 e,x 3f,4 3,3 19,2 2g d,2 1,1a 1a,3l t,2 1d,e s,3 10,8 u,4 17,4 u 11,3 e,15 4e,1 a,5 ' +
  '10,3 10,3 14,7 1g,a c f 7 2 b f 7 2,1u 8n,8 m,9 8,n 6 16 9,1w 6,1 1 18 2,2 1,1 n 20,7 9,1b j 2,4 ' +
  'x,2 r,4 1,1r 1k,3 k,1 1e 2,4 8 3 t,1 3,3 a,6 9,6 1s,v 13,3 c,8 1i,2 t,1 r,4 q,6 4,b 7,27 21,1i 1f,c ' +
  '1f,6 1a,7 a,85 v 16 3,1 2,25 14,7 16,l q,11 s,j n,8 26,3 10,8 1w,9 1,1 p,6 a,5 1h i,7 13,8 2o k,a i ' +
  '18,1s 7 1 4 f b,5 1n,4 a,5 4 8,1 2,1 m 7 2 5 a,1 2,1 3,1 1,5 1,4 7,1 7,2 5,3u 2k 5,t 20,7 a,4l 1i,1 ' +
  '12,x 1x,a a,5 d,i 1m,5 a,1h r,1 f,3 n,54 1o,2r 2b,b 8,1 1,1 8 2 u 2,1 c,8 a,1x 8,1 1a,1 b,q 20,7 ' +
  '2b,c 21,7a 9 19 e,9 t,2 w,1 m e,20 7 2 18,2 1 2 9,7 a,5 6 2 11 2 6,6 a,8l p,52 1,e 1e,c pn,2t 33 ' +
  '5,a 5g,217 2r,c tr 9,346 g7,6ns ft,6 v a,3 29 a,5 u,1 6,9 1y,9 a 7 l,4 j,j3 2j,2s 23,3 1l,6 h,1r ' +
  '5,a 2,d 4qg,7 ye,15 9,6w6 4 7 2 83,18 3,g 4,7 b0,1s3 2z,4 d,2 9,6 a,1 8,3mj 1a,1 n,8 38,1n 6u,9 ' +
  '13,1 5e,k 1y,49 k,b 2f,8 p,3q 2d 1z 2,1 1,1 2,1 4 c 1 7 1t 4,1 8 7 s 4 5 1,2 7 9g,1 84,1 ji,e 5 ' +
  'f,un v,68 7 h,1 7 2 5,5w 19,2 e,1 a,3 2,8v v,g 1m,4 1,yn 7 4 2 f 5h,1 g,14 24,3 a,3 2,ls 1w,23 ' +
  '1p,5d 4 r 2 1,1 1 a 4 1 1,5 1,3 1 1 1 3 2 1,1 1 1 1 1 1 2 1,1 4 7 4 4 1 a h,4 3 5 h,1f 2,7h 18,3 ' +
  '2s,b f,1 f f 11,9 4u,1j t,c 18,3 9,6 2,d 6,49 rc,4 g,2 d,2 38,b 2h,6 c,3 1,e c,3 1k,7 a,5 14,7 u,1 ' +
  '2,25 9g,b e,1 5,2 5,2 7,8 t,2 b,4 6,9 a,5 8,7 7,8 43 1j,10 a,sl wyo,v 37d,6 66,1 4g2,d 5rl,2e6 ' +
  'f2,15t 3t7,fcfp 1,t 2o,3j 6o,1e6n 1eke,1 1eke,1'

/** `isdigit()` and not `isdecimal()`. Runs as above. */
export const DIGITS: string =
  '4y,1 5 3ov,8 19k 1at 3,5 6,9 ra,8 b,8 b,8 2h a,8 1 hi,8 1,8 1,8 18rx,3 t8,8 dl,8 18dh,a'

/** `isnumeric()` outside the number categories. Runs as above. */
export const NUMERIC_LETTERS: string =
  'a9x 3h py ma 3oy 2 3 1 2b 1a 7 1 14,1 u 8 10 2q b7 1t y 1 1 cz 1,2 6 38,3 ly et 7 134 3n,1 c,2 1 rx ' +
  '25 w5 1f7 wf kn 1zb px 1oh 4 3g 1rk 10 5 17 3h jg4 7 4 1l u 1 15 1fr7 2q 3h 1q 1l4 2g 8 f 99 i r ' +
  '4ty 16v 3gi 7rl tnm'

/** Where `title()` is not `upper()`: code points in hexadecimal. */
export const TITLE_CASE: string =
  'df=53+73 1c4=1c5 1c5=1c5 1c6=1c5 1c7=1c8 1c8=1c8 1c9=1c8 1ca=1cb 1cb=1cb 1cc=1cb 1f1=1f2 1f2=1f2 ' +
  '1f3=1f2 587=535+582 10d0=10d0 10d1=10d1 10d2=10d2 10d3=10d3 10d4=10d4 10d5=10d5 10d6=10d6 10d7=10d7 ' +
  '10d8=10d8 10d9=10d9 10da=10da 10db=10db 10dc=10dc 10dd=10dd 10de=10de 10df=10df 10e0=10e0 10e1=10e1 ' +
  '10e2=10e2 10e3=10e3 10e4=10e4 10e5=10e5 10e6=10e6 10e7=10e7 10e8=10e8 10e9=10e9 10ea=10ea 10eb=10eb ' +
  '10ec=10ec 10ed=10ed 10ee=10ee 10ef=10ef 10f0=10f0 10f1=10f1 10f2=10f2 10f3=10f3 10f4=10f4 10f5=10f5 ' +
  '10f6=10f6 10f7=10f7 10f8=10f8 10f9=10f9 10fa=10fa 10fd=10fd 10fe=10fe 10ff=10ff 1f80=1f88 1f81=1f89 ' +
  '1f82=1f8a 1f83=1f8b 1f84=1f8c 1f85=1f8d 1f86=1f8e 1f87=1f8f 1f88=1f88 1f89=1f89 1f8a=1f8a 1f8b=1f8b ' +
  '1f8c=1f8c 1f8d=1f8d 1f8e=1f8e 1f8f=1f8f 1f90=1f98 1f91=1f99 1f92=1f9a 1f93=1f9b 1f94=1f9c 1f95=1f9d ' +
  '1f96=1f9e 1f97=1f9f 1f98=1f98 1f99=1f99 1f9a=1f9a 1f9b=1f9b 1f9c=1f9c 1f9d=1f9d 1f9e=1f9e 1f9f=1f9f ' +
  '1fa0=1fa8 1fa1=1fa9 1fa2=1faa 1fa3=1fab 1fa4=1fac 1fa5=1fad 1fa6=1fae 1fa7=1faf 1fa8=1fa8 1fa9=1fa9 ' +
  '1faa=1faa 1fab=1fab 1fac=1fac 1fad=1fad 1fae=1fae 1faf=1faf 1fb2=1fba+345 1fb3=1fbc 1fb4=386+345 ' +
  '1fb7=391+342+345 1fbc=1fbc 1fc2=1fca+345 1fc3=1fcc 1fc4=389+345 1fc7=397+342+345 1fcc=1fcc ' +
  '1ff2=1ffa+345 1ff3=1ffc 1ff4=38f+345 1ff7=3a9+342+345 1ffc=1ffc fb00=46+66 fb01=46+69 fb02=46+6c ' +
  'fb03=46+66+69 fb04=46+66+6c fb05=53+74 fb06=53+74 fb13=544+576 fb14=544+565 fb15=544+56b ' +
  'fb16=54e+576 fb17=544+56d'

/** Where `casefold()` is not `lower()`: code points in hexadecimal. */
export const CASE_FOLD: string =
  'b5=3bc df=73+73 149=2bc+6e 17f=73 1f0=6a+30c 345=3b9 390=3b9+308+301 3b0=3c5+308+301 3c2=3c3 ' +
  '3d0=3b2 3d1=3b8 3d5=3c6 3d6=3c0 3f0=3ba 3f1=3c1 3f5=3b5 587=565+582 13a0=13a0 13a1=13a1 13a2=13a2 ' +
  '13a3=13a3 13a4=13a4 13a5=13a5 13a6=13a6 13a7=13a7 13a8=13a8 13a9=13a9 13aa=13aa 13ab=13ab 13ac=13ac ' +
  '13ad=13ad 13ae=13ae 13af=13af 13b0=13b0 13b1=13b1 13b2=13b2 13b3=13b3 13b4=13b4 13b5=13b5 13b6=13b6 ' +
  '13b7=13b7 13b8=13b8 13b9=13b9 13ba=13ba 13bb=13bb 13bc=13bc 13bd=13bd 13be=13be 13bf=13bf 13c0=13c0 ' +
  '13c1=13c1 13c2=13c2 13c3=13c3 13c4=13c4 13c5=13c5 13c6=13c6 13c7=13c7 13c8=13c8 13c9=13c9 13ca=13ca ' +
  '13cb=13cb 13cc=13cc 13cd=13cd 13ce=13ce 13cf=13cf 13d0=13d0 13d1=13d1 13d2=13d2 13d3=13d3 13d4=13d4 ' +
  '13d5=13d5 13d6=13d6 13d7=13d7 13d8=13d8 13d9=13d9 13da=13da 13db=13db 13dc=13dc 13dd=13dd 13de=13de ' +
  '13df=13df 13e0=13e0 13e1=13e1 13e2=13e2 13e3=13e3 13e4=13e4 13e5=13e5 13e6=13e6 13e7=13e7 13e8=13e8 ' +
  '13e9=13e9 13ea=13ea 13eb=13eb 13ec=13ec 13ed=13ed 13ee=13ee 13ef=13ef 13f0=13f0 13f1=13f1 13f2=13f2 ' +
  '13f3=13f3 13f4=13f4 13f5=13f5 13f8=13f0 13f9=13f1 13fa=13f2 13fb=13f3 13fc=13f4 13fd=13f5 1c80=432 ' +
  '1c81=434 1c82=43e 1c83=441 1c84=442 1c85=442 1c86=44a 1c87=463 1c88=a64b 1e96=68+331 1e97=74+308 ' +
  '1e98=77+30a 1e99=79+30a 1e9a=61+2be 1e9b=1e61 1e9e=73+73 1f50=3c5+313 1f52=3c5+313+300 ' +
  '1f54=3c5+313+301 1f56=3c5+313+342 1f80=1f00+3b9 1f81=1f01+3b9 1f82=1f02+3b9 1f83=1f03+3b9 ' +
  '1f84=1f04+3b9 1f85=1f05+3b9 1f86=1f06+3b9 1f87=1f07+3b9 1f88=1f00+3b9 1f89=1f01+3b9 1f8a=1f02+3b9 ' +
  '1f8b=1f03+3b9 1f8c=1f04+3b9 1f8d=1f05+3b9 1f8e=1f06+3b9 1f8f=1f07+3b9 1f90=1f20+3b9 1f91=1f21+3b9 ' +
  '1f92=1f22+3b9 1f93=1f23+3b9 1f94=1f24+3b9 1f95=1f25+3b9 1f96=1f26+3b9 1f97=1f27+3b9 1f98=1f20+3b9 ' +
  '1f99=1f21+3b9 1f9a=1f22+3b9 1f9b=1f23+3b9 1f9c=1f24+3b9 1f9d=1f25+3b9 1f9e=1f26+3b9 1f9f=1f27+3b9 ' +
  '1fa0=1f60+3b9 1fa1=1f61+3b9 1fa2=1f62+3b9 1fa3=1f63+3b9 1fa4=1f64+3b9 1fa5=1f65+3b9 1fa6=1f66+3b9 ' +
  '1fa7=1f67+3b9 1fa8=1f60+3b9 1fa9=1f61+3b9 1faa=1f62+3b9 1fab=1f63+3b9 1fac=1f64+3b9 1fad=1f65+3b9 ' +
  '1fae=1f66+3b9 1faf=1f67+3b9 1fb2=1f70+3b9 1fb3=3b1+3b9 1fb4=3ac+3b9 1fb6=3b1+342 1fb7=3b1+342+3b9 ' +
  '1fbc=3b1+3b9 1fbe=3b9 1fc2=1f74+3b9 1fc3=3b7+3b9 1fc4=3ae+3b9 1fc6=3b7+342 1fc7=3b7+342+3b9 ' +
  '1fcc=3b7+3b9 1fd2=3b9+308+300 1fd3=3b9+308+301 1fd6=3b9+342 1fd7=3b9+308+342 1fe2=3c5+308+300 ' +
  '1fe3=3c5+308+301 1fe4=3c1+313 1fe6=3c5+342 1fe7=3c5+308+342 1ff2=1f7c+3b9 1ff3=3c9+3b9 1ff4=3ce+3b9 ' +
  '1ff6=3c9+342 1ff7=3c9+342+3b9 1ffc=3c9+3b9 ab70=13a0 ab71=13a1 ab72=13a2 ab73=13a3 ab74=13a4 ' +
  'ab75=13a5 ab76=13a6 ab77=13a7 ab78=13a8 ab79=13a9 ab7a=13aa ab7b=13ab ab7c=13ac ab7d=13ad ab7e=13ae ' +
  'ab7f=13af ab80=13b0 ab81=13b1 ab82=13b2 ab83=13b3 ab84=13b4 ab85=13b5 ab86=13b6 ab87=13b7 ab88=13b8 ' +
  'ab89=13b9 ab8a=13ba ab8b=13bb ab8c=13bc ab8d=13bd ab8e=13be ab8f=13bf ab90=13c0 ab91=13c1 ab92=13c2 ' +
  'ab93=13c3 ab94=13c4 ab95=13c5 ab96=13c6 ab97=13c7 ab98=13c8 ab99=13c9 ab9a=13ca ab9b=13cb ab9c=13cc ' +
  'ab9d=13cd ab9e=13ce ab9f=13cf aba0=13d0 aba1=13d1 aba2=13d2 aba3=13d3 aba4=13d4 aba5=13d5 aba6=13d6 ' +
  'aba7=13d7 aba8=13d8 aba9=13d9 abaa=13da abab=13db abac=13dc abad=13dd abae=13de abaf=13df abb0=13e0 ' +
  'abb1=13e1 abb2=13e2 abb3=13e3 abb4=13e4 abb5=13e5 abb6=13e6 abb7=13e7 abb8=13e8 abb9=13e9 abba=13ea ' +
  'abbb=13eb abbc=13ec abbd=13ed abbe=13ee abbf=13ef fb00=66+66 fb01=66+69 fb02=66+6c fb03=66+66+69 ' +
  'fb04=66+66+6c fb05=73+74 fb06=73+74 fb13=574+576 fb14=574+565 fb15=574+56b fb16=57e+576 ' +
  'fb17=574+56d'
