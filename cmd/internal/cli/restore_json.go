package cli

import (
	"fmt"
	"slices"
	"time"

	"github.com/ownergraph/ownergraph/archive"
	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/internal/printing"
	"github.com/ownergraph/ownergraph/internal/spell"
)

// jsonRestore is the form restore/v1, the first line of a restore.
type jsonRestore struct {
	Schema  string       `json:"schema"`
	Members []jsonMember `json:"members"`
	Back    []jsonBack   `json:"back,omitempty"`
	Relinks []jsonKey    `json:"relinks,omitempty"`
	Waits   []jsonEnding `json:"waits,omitempty"`
	Left    []jsonLeft   `json:"left,omitempty"`
	Refused []jsonLeft   `json:"refused,omitempty"`
	Taken   []jsonTaken  `json:"taken,omitempty"`
}

// jsonMember is an object that comes back. Key is that of the entry.
type jsonMember struct {
	Key        jsonKey     `json:"key"`
	Root       bool        `json:"root,omitempty"`
	Scope      string      `json:"newScope,omitempty"`
	Name       string      `json:"newName"`
	Owners     []jsonOwner `json:"owners,omitempty"`
	Finalizers []string    `json:"finalizers,omitempty"`
}

type jsonOwner struct {
	jsonKey
	OnDelete string `json:"onDelete,omitempty"`
}

type jsonBack struct {
	From jsonKey `json:"from"`
	To   jsonKey `json:"to"`
}

type jsonEnding struct {
	Key        jsonKey  `json:"key"`
	Finalizers []string `json:"finalizers,omitempty"`
}

type jsonLeft struct {
	Key   jsonKey  `json:"key"`
	Why   string   `json:"why"`
	Owner *jsonKey `json:"owner,omitempty"`
}

type jsonTaken struct {
	Key jsonKey `json:"key"`
	By  jsonKey `json:"by"`
}

// jsonRestored is the form restore-progress/v1. The last line has its end.
type jsonRestored struct {
	Schema   string       `json:"schema"`
	At       time.Time    `json:"at"`
	Created  int          `json:"created"`
	Members  int          `json:"members"`
	Relinked int          `json:"relinked,omitempty"`
	Waits    []jsonEnding `json:"waits,omitempty"`
	// End is "done", "held" or "quiet".
	End  string      `json:"end,omitempty"`
	Back []jsonMoved `json:"restored,omitempty"`
	Left []jsonLeft  `json:"left,omitempty"`
	Held []jsonTaken `json:"held,omitempty"`
}

// jsonMoved leads from the UID of an entry to the present object.
type jsonMoved struct {
	UID graph.UID `json:"uid"`
	To  jsonKey   `json:"to"`
}

func newJSONRestore(made *archive.Plan) jsonRestore {
	out := jsonRestore{Schema: "restore/v1", Members: []jsonMember{}, Waits: endings(made.Waits), Left: lefts(made.Left), Refused: lefts(made.Refused), Taken: takens(made.Taken)}
	for i := range made.Members {
		m := &made.Members[i]
		one := jsonMember{Key: jsonKey(m.Entry.Object.Key), Root: m.Root, Scope: m.Scope, Name: m.Name, Finalizers: m.Entry.Object.Finalizers}
		for _, o := range m.Owners {
			owner := jsonOwner{jsonKey: jsonKey(o.Key)}
			if o.OnDelete != graph.OnDeleteUnset {
				owner.OnDelete = o.OnDelete.String()
			}
			one.Owners = append(one.Owners, owner)
		}
		out.Members = append(out.Members, one)
	}
	for _, l := range made.Back {
		out.Back = append(out.Back, jsonBack{jsonKey(l.From), jsonKey(l.To)})
	}
	for _, k := range made.Relinks {
		out.Relinks = append(out.Relinks, jsonKey(k))
	}
	return out
}

func endings(list []archive.Waiting) (out []jsonEnding) {
	for _, w := range list {
		out = append(out, jsonEnding{jsonKey(w.Key), w.Finalizers})
	}
	return out
}

func lefts(list []archive.Left) (out []jsonLeft) {
	for i := range list {
		out = append(out, jsonLeft{jsonKey(list[i].Entry.Object.Key), list[i].Why.String(), someKey(list[i].Owner.Key)})
	}
	return out
}

func takens(list []archive.Taken) (out []jsonTaken) {
	for _, t := range list {
		out = append(out, jsonTaken{jsonKey(t.Member), jsonKey(t.By)})
	}
	return out
}

func (a *app) newJSONRestored(r *archive.Result, last archive.Progress, end string) jsonRestored {
	out := jsonRestored{Schema: "restore-progress/v1", At: a.now().UTC(), Created: r.Created, Members: last.Members, Relinked: r.Relinked, Waits: endings(last.Waits),
		End: end, Left: lefts(r.Left), Held: takens(r.Held)}
	if end == "done" {
		out.Members, out.Waits = 0, nil
	}
	for _, uid := range restoredOrder(r) {
		out.Back = append(out.Back, jsonMoved{uid, jsonKey(r.Restored[uid])})
	}
	return out
}

// restoring shows the progress of a restore.
type restoring struct {
	app   *app
	last  archive.Progress
	shown time.Time // of the latest count
	any   bool
}

// show reports whether something has changed since the report before. Text has a count at most each second.
func (r *restoring) show(p archive.Progress) (changed bool) {
	same := func(a, b archive.Waiting) bool { return a.Key == b.Key && slices.Equal(a.Finalizers, b.Finalizers) }
	waits := !slices.EqualFunc(p.Waits, r.last.Waits, same)
	counts := p.Created != r.last.Created || p.Members != r.last.Members
	changed = !r.any || waits || counts
	r.last, r.any = p, true
	if !changed {
		return false
	}
	a := r.app
	if a.format == printing.JSON {
		_ = a.printer().JSONLine(jsonRestored{Schema: "restore-progress/v1", At: a.now().UTC(), Created: p.Created, Members: p.Members, Waits: endings(p.Waits)})
		return true
	}
	if now := a.now(); counts && p.Created > 0 && now.Sub(r.shown) >= time.Second {
		r.shown = now
		_ = a.printer().Text(fmt.Sprintf("created %s\n", spell.Count(uint64(p.Created), "object")))
	}
	if waits {
		for _, w := range p.Waits[:min(len(p.Waits), spell.MaxNamed)] {
			_ = a.printer().Text("waiting: " + spell.Line(waitText(w)) + "\n")
		}
		if n := len(p.Waits) - spell.MaxNamed; n > 0 {
			_ = a.printer().Text(fmt.Sprintf("waiting: %d more\n", n))
		}
	}
	return true
}
