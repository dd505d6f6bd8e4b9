/*
 * Ink on paper, by day and by night; a colour means that something is worth a look.
 * Nothing is wider than a phone: what is scrolls within itself.
 */
#include "render/html_style.h"

/* clang-format off */
const char html_style[] =
":root{color-scheme:light dark;--ink:#1d1d1f;--paper:#fff;--quiet:#595e64;--line:#d9dce0;"
"--shade:#0003;--bar:#18406e;--good:#1d7a46;--mark:#6a90c0;--track:#eef0f2;--warn:#865300;--bad:#b3261e;--gap:#e4e7ea;--odd:#f3f5f8}\n"
"@media screen and (prefers-color-scheme:dark){:root{--ink:#eeeef0;--paper:#17181a;--quiet:#a3a8ae;"
"--line:#3a3d41;--shade:#000c;--bar:#c3dcfa;--good:#6fcf97;--mark:#4b6e97;--track:#26282b;--warn:#f0b95c;--bad:#ff8b80;--gap:#2e3135;--odd:#1f2124}}\n"
"*{box-sizing:border-box}\n"
"body{margin:0;background:var(--paper);color:var(--ink);font:15px/1.5 system-ui,sans-serif}\n"
"main{max-width:62rem;margin:0 auto;padding:1rem 1rem 4rem}\n"
"h1{font-size:1.1rem;font-weight:600;color:var(--quiet);margin:0 0 1.5rem}\n"
"h2{font-size:1.35rem;line-height:1.25;margin:0;overflow-wrap:anywhere}\n"
"h3{font-size:1rem;margin:2rem 0 .5rem;padding-top:.5rem;border-top:1px solid var(--line)}\n"
"small{font-size:.85em}h2 small,h3 small{font-weight:400;color:var(--quiet)}\n"
"section+section{margin-top:4rem}nav{margin-bottom:3rem}\n"
"p,dl,ul,pre{margin:.5rem 0}\n"
".lead{font-size:1.1rem;margin:.5rem 0}\n"
".facts{color:var(--quiet);margin:.25rem 0}\n"
"pre{overflow-x:auto}\n"
"code{font:13px/1.5 ui-monospace,monospace}\n"
"dl{display:grid;grid-template-columns:minmax(7rem,max-content) 1fr;gap:.15rem 1.25rem}\n"
"dt{color:var(--quiet)}\n"
"dd{margin:0;overflow-wrap:anywhere}\n"
"ul{padding-left:1.2rem;overflow-wrap:anywhere}\n"
"ul ul{margin:.1rem 0;color:var(--quiet);list-style:none}\n"
".scroll{overflow-x:auto;position:relative;background:"
"linear-gradient(to right,var(--paper) 40%,transparent) left/2rem 100% no-repeat local,"
"linear-gradient(to left,var(--paper) 40%,transparent) right/2rem 100% no-repeat local,"
"linear-gradient(to right,var(--shade),transparent) left/.6rem 100% no-repeat,"
"linear-gradient(to left,var(--shade),transparent) right/.6rem 100% no-repeat}\n"
".name{max-width:11rem;overflow:hidden;text-overflow:ellipsis}.path{max-width:20rem;direction:rtl}bdi{direction:ltr}"
"td.name:last-child{max-width:32rem}\n"
".long{display:-webkit-box;-webkit-box-orient:vertical;-webkit-line-clamp:4;overflow:hidden}\n"
"table{border-collapse:collapse;font-variant-numeric:tabular-nums}\n"
"th,td{padding:.15rem .9rem .15rem 0;text-align:left;vertical-align:baseline;white-space:nowrap;"
"font-weight:400}\n"
"thead th{color:var(--quiet);font-size:.85rem;white-space:normal;vertical-align:bottom}.k{white-space:normal;min-width:8rem}thead tr{border-bottom:1px solid var(--line)}\n"
"tbody th.title{font-weight:600;padding-top:.6rem;white-space:normal;overflow-wrap:anywhere}\n"
".numbers td:first-child{white-space:normal;overflow-wrap:anywhere}.n,.numbers td+td,.held td+td+td{text-align:right}\n"
".d1{padding-left:1rem}.d2{padding-left:2rem}.d3{padding-left:3rem}.d4{padding-left:4rem}"
".d5{padding-left:5rem}.d6{padding-left:6rem}\n"
".warn{color:var(--warn)}.bad{color:var(--bad);font-weight:600}\n"
"svg{display:block;width:8rem;height:.7rem}\n"
"svg.spark{width:100%;max-width:30rem;height:3rem;margin:.5rem 0}\n"
".b svg{background:var(--track);print-color-adjust:exact}.mark{fill:var(--mark)}.bar{fill:var(--bar)}.less{fill:var(--good)}.more{fill:var(--warn)}\n"
".line{fill:none;stroke:var(--bar);stroke-width:1.5;vector-effect:non-scaling-stroke}\n"
"details{margin:.5rem 0}summary{cursor:pointer;color:var(--quiet);font-size:.85rem}\n"
".hidden{position:absolute;width:1px;height:1px;overflow:hidden;clip-path:inset(50%)}\n"
"a{color:inherit}\n";
/* clang-format on */

/* The rows of a timeline: a name, a picture, numbers. */
/* clang-format off */
const char html_style_time[] =
"figure{margin:0}figure.multiples{margin-top:.75rem}figcaption{color:var(--quiet);font-size:.85rem;margin:.5rem 0}\n"
".time,.group{display:grid;grid-template-columns:var(--l) 1fr var(--r);align-items:center;row-gap:4px}.axes,.group{display:contents}\n"
".time{--l:4.5rem;--r:8.5rem;position:relative;font-variant-numeric:tabular-nums;--high:4.5rem;--middle:2.8rem;--low:1.7rem}\n"
".time.small{--high:2.8rem;--middle:1.7rem;--low:1.1rem}\n"
".time h4{grid-column:1/-1;margin:.5rem 0 0;padding:.4rem 0 .1rem;font-size:.85rem;position:relative;background:var(--paper)}.time h4 small{font-weight:400;color:var(--quiet);"
"margin-left:.5rem;font-size:1em}\n"
".time .l,.time .r{position:relative}.time .l{font-size:.8rem;color:var(--quiet);overflow-wrap:anywhere}\n"
".time .r{display:grid;grid-template-columns:1fr 1fr;text-align:right;font-size:.8rem}"
".time>svg,.group>svg{width:100%;position:relative;grid-column:2}.time .l{grid-column:1}.time .r{grid-column:3}\n"
".time svg.high{height:var(--high)}.time svg.middle{height:var(--middle)}.time svg.low{height:var(--low)}"
".time svg.high,.time svg.middle,.time svg.low{overflow:visible;border-bottom:1px solid var(--line)}\n"
".time svg.gaps{height:4px;overflow:visible}.time svg.axis{height:1.1rem;overflow:visible}.time svg.axis text{font-size:.75rem;fill:var(--quiet);text-anchor:middle}"
".time svg.axis .first{text-anchor:start}.time svg.axis .last{text-anchor:end}\n"
".time svg.phases{height:auto}.time svg.phases text{font-size:.75rem;fill:var(--ink)}.phases .one{fill:var(--mark)}.phases .many{fill:var(--mark);fill-opacity:.35}.hatch{stroke:var(--mark);stroke-width:16;stroke-dasharray:1 3}\n"
".time svg[height=\"7\"]{height:7px}.time svg[height=\"14\"]{height:14px}.time svg[height=\"21\"]{height:21px}.power{fill:var(--mark);background:var(--mark)}.heat{fill:var(--warn);background:var(--warn)}"
".hardware{fill:var(--bad);background:var(--bad)}.gap{background:var(--gap)}.short{background:var(--quiet)}\n"
".key{print-color-adjust:exact;display:inline-block;width:.9em;height:.6em;margin:0 .35em 0 .6em}\n"
".time>svg.behind{grid-column:auto;position:absolute;left:var(--l);width:calc(100% - var(--l) - var(--r));top:0;height:100%}\n"
".behind .odd{fill:var(--odd)}.behind .even{fill:none}.behind line{stroke:var(--line);stroke-width:1}\n"
".g{fill:var(--gap)}.na{fill:none;stroke:var(--quiet);stroke-dasharray:2 3}.key.na{outline:1px dashed var(--quiet)}.e{fill:var(--mark);stroke:var(--mark)}.m,.p{fill:none;stroke:var(--bar);stroke-linecap:round}"
".e,.m,.p,.s,.na{vector-effect:non-scaling-stroke;stroke-width:1;stroke-linejoin:round}.p{stroke-width:3}"
".s{fill:var(--quiet);stroke:var(--quiet);stroke-width:1.5}\n"
".panels{display:grid;grid-template-columns:repeat(auto-fit,minmax(min(25rem,100%),1fr));gap:1rem 2rem;align-items:start}\n"
".multiples .time{--l:7rem;--r:3.8rem;row-gap:3px}.multiples .time .r{display:block}.multiples .l{display:-webkit-box;-webkit-box-orient:vertical;-webkit-line-clamp:2;overflow:hidden;word-break:break-all;line-height:1.15;margin-right:.5rem}.multiples .dense .l{-webkit-line-clamp:1}\n"
".multiples .time h4{margin:0;padding-top:0}.time>h3{grid-column:1/-1;margin:0;padding:0 0 .1rem;border:0;font-size:.85rem;position:relative;background:var(--paper)}.time h3 small{margin-left:.5rem;font-size:1em}\n"
".time svg.multiple{height:1.9rem;overflow:visible}.time.dense svg.multiple{height:1rem}"
".ran{fill:var(--odd);background:var(--odd)}.key.ran{outline:1px solid var(--line)}.none{grid-column:2;justify-self:start;padding-right:.4rem;position:relative;background:var(--paper);font-size:.8rem;color:var(--quiet)}"
".side{grid-column:1/-1;position:relative;font-size:.8rem;font-weight:600;margin-top:.2rem;background:var(--paper)}\n";
/* clang-format on */

/*
 * On a phone a bar stands below its row, and a row of many columns is several lines: what
 * it is of, its numbers, its bar. On paper nothing can be folded up or scrolled.
 */
/* clang-format off */
const char html_style_media[] =
"@media(max-width:56rem){th,td{padding-right:.4rem;font-size:.85rem}.name{max-width:9rem}.b svg{width:5rem}\n"
".wide,.wide thead,.wide tbody{display:block}"
".wide tr{display:grid;grid-template-columns:repeat(auto-fill,minmax(5.2rem,1fr));column-gap:.4rem;padding:.25rem 0;border-bottom:1px solid var(--line)}"
".wide tr>:first-child{grid-column:1/-1;position:static}.wide tr:has(>.b)>:first-child{grid-column:1/span 2}"
".wide tr>.b.b{grid-area:1/3/auto/-1;position:static;align-self:center}.wide .b svg{height:.5rem}"
".wide tr>*{padding-block:0;padding-inline-end:0;white-space:normal}.wide tr>.title{padding-top:.6rem}"
".wide td{overflow-wrap:anywhere}.wide .name{max-width:none}}\n"
"@media(max-width:44rem){dl{grid-template-columns:1fr;gap:0}dt{margin-top:.4rem}pre{white-space:pre-wrap;overflow-wrap:anywhere}"
"td:first-child,thead th:first-child{position:sticky;left:0;background:var(--paper)}"
"tr{position:relative}:not(.wide)>*>tr:has(>td.b>svg)>:not(.b){padding-bottom:.6rem}:not(.wide)>*>tr:has(>th.b)>:not(.b){padding-bottom:1.4rem}"
"tr>.b.b{position:absolute;left:0;bottom:.15rem;width:100%;padding:0}.b svg{display:block;width:100%;height:.3rem}\n"
".time{--l:3rem;--r:0px}.time .r,.tight{display:none}.multiples .time{--l:5.5rem;--r:3.6rem}.multiples .time .l{-webkit-line-clamp:4}}\n"
"@media(max-width:23rem){main{padding-inline:.5rem}th,td,thead th{padding-right:.3rem;font-size:.75rem}.multiples .time{--l:4.5rem;--r:3.2rem}}\n"
"@page{margin:14mm}\n"
"@media print{:root{color-scheme:light;font-size:12px}body,code{font-size:11px}main{padding:0;max-width:none}.scroll,pre{overflow:visible}pre{white-space:pre-wrap}.scroll{background:none}"
".name,td:first-child{white-space:normal;overflow-wrap:anywhere;min-width:7rem}.name{max-width:16rem;overflow:visible}.long,.multiples .l{display:block;overflow:visible}"
"details:not([open]){display:none}summary{list-style:none}"
"h2,h3{break-after:avoid}tr,.panels .time,table:not(:has(tbody>tr:nth-child(7))){break-inside:avoid}section+section{margin-top:2.5rem}\n"
"figure>.time{display:table;width:100%}.axes{display:table-header-group}.group~.axes{display:table-footer-group}"
".axes,.group{break-inside:avoid}.axes{break-after:avoid}.axes+.group,.group:has(.phases)+.group{break-before:avoid}.group{display:grid}.time~figcaption{break-before:avoid}}\n";
/* clang-format on */

const char html_style_hash[] = "+H45fRGjlBJlUPm+ao6g9tOdPQ1DcrZrB3eDQF2wDy4=";
