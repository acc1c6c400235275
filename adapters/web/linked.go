package web

import (
	"html/template"
	"strings"

	"github.com/ownergraph/ownergraph/explain"
	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/plan"
	"github.com/ownergraph/ownergraph/policy"
)

// names are the links of the objects that a text may name, by their spellings.
type names map[string]string

// add adds the spellings of objects. Names with blanks have none, so a text shows them without a link.
func (n names) add(keys ...graph.Key) {
	for _, k := range keys {
		if link := objectLink(k); k.Kind != "" && link != "" {
			for _, s := range []string{k.String(), k.PlaceString(), k.Text()} {
				n[s] = link
			}
		}
	}
}

func (n names) addConditions(list []explain.Condition) {
	for i := range list {
		n.add(list[i].Key)
		n.add(list[i].Ring...)
		n.addConditions(list[i].For)
	}
}

// explained returns the names in the text of an explanation.
func explained(x *explain.Explanation) names {
	n := names{}
	n.add(x.Key)
	for i := range x.Owners {
		n.add(x.Owners[i].Key)
	}
	if x.Deletion != nil {
		n.add(x.Deletion.Root.Keys...)
	}
	n.addConditions(x.Wait)
	return n
}

// planned returns the names in the text of a plan.
func planned(p *plan.Plan) names {
	n := names{}
	for i := range p.Objects {
		o := &p.Objects[i]
		n.add(o.Key, o.Parent, o.Holder, o.Container)
		n.add(o.Owners...)
	}
	return n
}

// linked returns a clean text of many lines as HTML. Words that name an object are links.
//
//test:by TestLinked TestHostile
func (n names) linked(text string) template.HTML {
	var b strings.Builder
	for line := range strings.Lines(pre(text)) {
		for i, word := range strings.Split(strings.TrimSuffix(line, "\n"), " ") {
			if i > 0 {
				b.WriteByte(' ')
			}
			core := strings.TrimRight(strings.TrimLeft(word, "("), ":;,.)^!?")
			link, ok := n[core]
			if !ok {
				b.WriteString(template.HTMLEscapeString(word))
				continue
			}
			before, after, _ := strings.Cut(word, core)
			b.WriteString(template.HTMLEscapeString(before) + `<a href="` + template.HTMLEscapeString(link) + `">` +
				template.HTMLEscapeString(core) + "</a>" + template.HTMLEscapeString(after))
		}
		b.WriteByte('\n')
	}
	return template.HTML(b.String()) // each part is escaped above
}

// named reads the key of an object with its UID, also as a reference with its marks.
func named(s string) (graph.Key, bool) {
	k, err := graph.ParseKey(strings.TrimRight(s, "!^?"))
	place, uid, _ := strings.Cut(s, "@") // a bare word is a short form of a key
	return k, err == nil && uid != "" && strings.Contains(place, "/")
}

// cause is the text of a cause, with the link to the object that it names.
type cause struct{ Text, Link string }

// causesOf returns the causes of a reason. An object is one only for a reason that names objects.
//
//test:by TestCauses
func causesOf(why policy.Reason, details []string) (out []cause) {
	for _, s := range details {
		c := cause{Text: clean(s)}
		switch why {
		case policy.NeedFinalizers, policy.HandlerRuns, policy.HandlerFailed: // a finalizer may look like a key
		default:
			if k, ok := named(s); ok {
				c = cause{clean(k.Text()), objectLink(k)}
				break
			}
			for word := range strings.FieldsSeq(shortened(s, maxWord)) {
				if k, ok := named(strings.TrimRight(word, ":,;")); ok && c.Link == "" {
					c.Link = objectLink(k)
				}
			}
		}
		out = append(out, c)
	}
	return out
}
