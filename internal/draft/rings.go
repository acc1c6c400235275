package draft

// findRings returns the parts in a ring of unset and cascade references: the strongly connected components
// of more than one part (Tarjan, 1972). The search keeps its own stack, because a chain of
// owners may be long.
func (s *survey) findRings() []bool {
	t := tarjan{survey: s, at: make([]int32, len(s.Parts)), low: make([]int32, len(s.Parts)), on: make([]bool, len(s.Parts)), ring: make([]bool, len(s.Parts))}
	for i := range s.Parts {
		if t.at[i] == 0 && len(s.owners[i]) > 0 {
			t.search(int32(i))
		}
	}
	return t.ring
}

type tarjan struct {
	*survey
	at, low []int32 // the number of a part in order of the search, 0 before it
	on      []bool  // on the stack
	stack   []int32
	calls   []frame
	count   int32
	ring    []bool
}

// frame is a part whose owners are being searched.
type frame struct{ part, next int32 }

func (t *tarjan) search(i int32) {
	t.enter(i)
	for len(t.calls) > 0 {
		f := &t.calls[len(t.calls)-1]
		if int(f.next) == len(t.owners[f.part]) {
			t.leave(f.part)
			continue
		}
		l := t.owners[f.part][f.next]
		o := l.owner
		f.next++
		switch {
		case o < 0 || !l.deletes():
		case t.at[o] == 0:
			t.enter(o)
		case t.on[o]:
			t.low[f.part] = min(t.low[f.part], t.at[o])
		}
	}
}

func (t *tarjan) enter(i int32) {
	t.count++
	t.at[i], t.low[i], t.on[i] = t.count, t.count, true
	t.stack = append(t.stack, i)
	t.calls = append(t.calls, frame{part: i})
}

// leave ends the search of a part. The first part of a component takes it off the stack.
func (t *tarjan) leave(i int32) {
	t.calls = t.calls[:len(t.calls)-1]
	if n := len(t.calls); n > 0 {
		up := t.calls[n-1].part
		t.low[up] = min(t.low[up], t.low[i])
	}
	if t.low[i] != t.at[i] {
		return
	}
	for single := t.stack[len(t.stack)-1] == i; ; {
		top := t.stack[len(t.stack)-1]
		t.stack = t.stack[:len(t.stack)-1]
		t.on[top], t.ring[top] = false, !single
		if top == i {
			return
		}
	}
}
