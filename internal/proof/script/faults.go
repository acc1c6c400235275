package script

import (
	"strings"

	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/internal/proof/world"
)

// onKind runs f on the kind that the first word of arg names.
func (r *runner) onKind(arg string, f func(kind int, rest string) error) error {
	name, rest, _ := strings.Cut(arg, " ")
	k, err := r.kind(name)
	if err != nil {
		return err
	}
	return f(k, rest)
}

func (r *runner) sick(arg string) error { return r.onKind(arg, r.w.Sicken) }

func (r *runner) recover(arg string) error {
	return r.onKind(arg, func(k int, _ string) error { return r.w.Recover(k) })
}

func (r *runner) vanish(arg string) error {
	return r.onKind(arg, func(k int, _ string) error {
		r.unserve(r.w.Kinds[k].Kind, true)
		return r.w.Vanish(k)
	})
}

func (r *runner) serve(arg string) error {
	info := kindInfo(arg)
	r.unserve(info.Kind, false)
	return r.w.Serve(info)
}

func (r *runner) control(arg string) error {
	f, ok := world.ParseFault(arg)
	if !ok {
		return errUsage
	}
	r.w.Control = f
	return nil
}

func (r *runner) garble(arg string) error {
	return r.onKind(arg, func(k int, _ string) error { r.w.Garble(r.side, k); return nil })
}

func (r *runner) down(arg string) error {
	return r.onKind(arg, func(k int, _ string) error { r.w.Down(r.w.Kinds[k].Kind, true); return nil })
}

func (r *runner) up(arg string) error {
	return r.onKind(arg, func(k int, _ string) error { r.w.Down(r.w.Kinds[k].Kind, false); return nil })
}

func (r *runner) undo(arg string) error {
	return r.onKind(arg, func(k int, _ string) error { r.w.Undo(r.w.Kinds[k].Kind, true); return nil })
}

func (r *runner) allow(arg string) error {
	return r.onKind(arg, func(k int, _ string) error { r.w.Undo(r.w.Kinds[k].Kind, false); return nil })
}

func (r *runner) keep(string) error {
	r.backup = r.w.Store
	return nil
}

// restore goes back to the backup. It begins a new history for the judgement.
func (r *runner) restore(arg string) error {
	if arg != "" && arg != "unseen" {
		return errUsage
	}
	err := r.w.Restore(r.backup, arg == "")
	r.sweeps.Labels = r.w.Store.Labels()
	r.sweeps.Begin(r.w.Store.Objects())
	r.forget()
	return err
}

func (r *runner) stale(arg string) error {
	return r.onKind(arg, func(k int, _ string) error {
		r.w.ListStale(r.side, k, &r.backup)
		return nil
	})
}

// unserve records that a kind is out of service, or that it is served again.
func (r *runner) unserve(k graph.Kind, out bool) {
	var rest []graph.Kind
	for _, u := range r.opt.unserved {
		if u != k {
			rest = append(rest, u)
		}
	}
	if out {
		rest = append(rest, k)
	}
	r.opt.unserved = rest
}
