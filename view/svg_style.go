package view

import (
	"fmt"
	"strings"
)

// style writes the looks of the classes in the picture, on a light and on a dark page.
func (d *drawing) style() {
	used := [len(classNames)]bool{}
	for i := range d.p.nodes {
		used[d.p.nodes[i].class] = true
	}
	var light, dark strings.Builder
	page(&light, lightText, lightPage, lightEdge, lightBand)
	page(&dark, darkText, darkPage, darkEdge, darkBand)
	for c, ok := range used {
		if !ok {
			continue
		}
		onLight, onDark := colours(class(c))
		for _, look := range []struct {
			to *strings.Builder
			colour
		}{{&light, onLight}, {&dark, onDark}} {
			fmt.Fprintf(look.to, ".ownergraph .%s .box{fill:%s;stroke:%s}\n", class(c).css(), look.fill, look.line)
		}
	}
	fmt.Fprintf(&d.out, "<style>\n%s%s@media (prefers-color-scheme:dark){\n%s}\n</style>\n", shared, light.String(), dark.String())
}

// shared has the looks that no page changes.
const shared = `.ownergraph text{font:12px ui-monospace,"DejaVu Sans Mono",Menlo,Consolas,monospace;text-anchor:middle;direction:ltr;unicode-bidi:isolate}
.ownergraph .caption,.ownergraph .wave{text-anchor:start}
.ownergraph .kind,.ownergraph .wave{font-weight:bold}
.ownergraph .box{stroke-width:1.5;fill-rule:nonzero}
.ownergraph .marked .box{stroke-dasharray:7 3}
.ownergraph .absent .box,.ownergraph .unknown .box,.ownergraph .maybe .box{stroke-dasharray:2 3}
.ownergraph .subject .box{stroke-width:3.5}
.ownergraph .edge{fill:none;stroke-width:1.5}
.ownergraph .controller{stroke-width:3}
.ownergraph .waits{stroke-dasharray:2 4}
.ownergraph .member{stroke-dasharray:8 3 2 3}
.ownergraph .ring,.ownergraph .flawed{stroke-dasharray:7 4}
`

func page(to *strings.Builder, text, back, edge, band string) {
	fmt.Fprintf(to, ".ownergraph text{fill:%s}\n.ownergraph .page{fill:%s}\n.ownergraph .band{fill:%s}\n", text, back, band)
	fmt.Fprintf(to, ".ownergraph .edge{stroke:%s}\n.ownergraph .end{fill:%s}\n", edge, edge)
}
