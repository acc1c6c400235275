package view

import (
	"fmt"
	"strings"
)

// Style returns the style sheet for the drawings of Page, on a light and on a dark page.
//
//test:by TestPage
func Style() string {
	all := [len(classNames)]bool{}
	for c := live; int(c) < len(all); c++ {
		all[c] = true
	}
	return styleOf(all, true)
}

// style returns the looks of the classes in the picture, on a light and on a dark page.
func (d *drawing) style() string {
	used := [len(classNames)]bool{}
	for i := range d.p.nodes {
		used[d.p.nodes[i].class] = true
	}
	return styleOf(used, d.p.used().word() != "")
}

func styleOf(used [len(classNames)]bool, policies bool) string {
	var light, dark strings.Builder
	page(&light, lightText, lightPage, lightEdge)
	page(&dark, darkText, darkPage, darkEdge)
	fixed := shared
	if policies {
		fixed += policyStyle
		policyPage(&light, lightPage, lightEdge)
		policyPage(&dark, darkPage, darkEdge)
	}
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
	return fixed + light.String() + "@media (prefers-color-scheme:dark){\n" + dark.String() + "}\n"
}

// shared has the looks that no page changes.
const shared = `.ownergraph text{font:12px ui-monospace,"DejaVu Sans Mono",Menlo,Consolas,monospace;text-anchor:middle;direction:ltr;unicode-bidi:isolate}
.ownergraph .caption{text-anchor:start}
.ownergraph .kind{font-weight:bold}
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

func page(to *strings.Builder, text, back, edge string) {
	fmt.Fprintf(to, ".ownergraph text{fill:%s}\n.ownergraph .page{fill:%s}\n", text, back)
	fmt.Fprintf(to, ".ownergraph .edge{stroke:%s}\n.ownergraph .end{fill:%s}\n", edge, edge)
}
