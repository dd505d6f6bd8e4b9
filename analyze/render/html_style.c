/*
 * Ink on paper, by day and by night; a colour means that something is worth a look.
 * Nothing is wider than a phone: what is scrolls within itself.
 */
#include "render/html_style.h"

/* clang-format off */
const char html_style[] =
":root{color-scheme:light dark;--ink:#1d1d1f;--paper:#fff;--quiet:#595e64;--line:#d9dce0;"
"--bar:#35689f;--mark:#b9cde4;--track:#eef0f2;--warn:#865300;--bad:#b3261e}\n"
"@media(prefers-color-scheme:dark){:root{--ink:#e6e6e8;--paper:#17181a;--quiet:#a3a8ae;"
"--line:#3a3d41;--bar:#7fb0e6;--mark:#35506e;--track:#26282b;--warn:#f0b95c;--bad:#ff8b80}}\n"
"*{box-sizing:border-box}\n"
"body{margin:0;background:var(--paper);color:var(--ink);font:15px/1.5 system-ui,sans-serif}\n"
"main{max-width:62rem;margin:0 auto;padding:1rem 1rem 4rem}\n"
"h1{font-size:1.1rem;font-weight:600;color:var(--quiet);margin:0 0 1.5rem}\n"
"h2{font-size:1.35rem;line-height:1.25;margin:0;overflow-wrap:anywhere}\n"
"h3{font-size:1rem;margin:2rem 0 .5rem;padding-top:.5rem;border-top:1px solid var(--line)}\n"
"small{font-size:.85em}h2 small,h3 small{font-weight:400;color:var(--quiet)}\n"
"section+section{margin-top:4rem}nav{margin-bottom:3rem}\n"
"p,dl,ul,pre{margin:.5rem 0}\n"
".facts{color:var(--quiet);margin:.25rem 0}\n"
"pre{overflow-x:auto}\n"
"code{font:13px/1.5 ui-monospace,monospace}\n"
"dl{display:grid;grid-template-columns:minmax(7rem,max-content) 1fr;gap:.15rem 1.25rem}\n"
"dt{color:var(--quiet)}\n"
"dd{margin:0;overflow-wrap:anywhere}\n"
"ul{padding-left:1.2rem;overflow-wrap:anywhere}\n"
"ul ul{margin:.1rem 0;color:var(--quiet);list-style:none}\n"
".scroll{overflow-x:auto;position:relative}\n"
"table{border-collapse:collapse;font-variant-numeric:tabular-nums}\n"
"th,td{padding:.15rem .9rem .15rem 0;text-align:left;vertical-align:baseline;white-space:nowrap;"
"font-weight:400}\n"
"thead th{color:var(--quiet);font-size:.85rem}thead tr{border-bottom:1px solid var(--line)}\n"
"tbody th.title{font-weight:600;padding-top:.6rem}\n"
".n{text-align:right}\n"
".d1{padding-left:1rem}.d2{padding-left:2rem}.d3{padding-left:3rem}.d4{padding-left:4rem}"
".d5{padding-left:5rem}.d6{padding-left:6rem}\n"
".warn{color:var(--warn)}.bad{color:var(--bad);font-weight:600}\n"
"svg{display:block;width:9rem;height:.7rem}\n"
"svg.spark{width:100%;max-width:30rem;height:3rem;margin:.5rem 0}\n"
".track{fill:var(--track)}.mark{fill:var(--mark)}.bar{fill:var(--bar)}\n"
".line{fill:none;stroke:var(--bar);stroke-width:1.5;vector-effect:non-scaling-stroke}\n"
".hidden{position:absolute;width:1px;height:1px;overflow:hidden;clip-path:inset(50%)}\n"
"a{color:inherit}\n"
"@media(max-width:40rem){dl{grid-template-columns:1fr;gap:0}dt{margin-top:.4rem}}\n"
"@media print{body{font-size:11px}.scroll,pre{overflow:visible}pre{white-space:pre-wrap}"
"section{break-before:page}section:first-of-type{break-before:auto}}\n";
/* clang-format on */

const char html_style_hash[] = "RT1zGzYJUJMw/9NNI9XEQGjPuKNaIO/7Wnw8xan+jFw=";
