package sweep

import (
	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/internal/core/seq"
	"github.com/ownergraph/ownergraph/policy"
)

// Judgement is the decision of the sweeps about an object, with what its commit does. It is valid
// until the next step of the engine, and may be used for another object then.
type Judgement struct {
	Decision policy.Decision
	Holder   graph.Key // whose sweep deletes the object
	member   bool      // it is judged as a member
	steps    []step    // of the runs of a holder, by plan
	selects  []selectWant
	proofs   []proof // for which a member waits
}

// proof is a proof that begins after a moment.
type proof struct {
	run   *run
	after seq.Stamp
}

// step is the next step of the run of a holder.
type step struct {
	plan     int
	run      *run // nil if it begins
	what     stepType
	progress progress
}

// stepType is what a step does to the run.
type stepType uint8

const (
	_ stepType = iota // unset
	// begins: the run begins.
	begins
	// halts: the holder is not one whose members go now.
	halts
	// advances: the run goes on.
	advances
	// ends: the run is over, since the holder never carried the finalizer.
	ends
	// leaves: the run is over, since the finalizer is off.
	leaves
)

func (j *Judgement) reset(d policy.Decision) {
	*j = Judgement{Decision: d, steps: j.steps[:0], selects: j.selects[:0], proofs: j.proofs[:0]}
}

func (j *Judgement) want(missing []selectWant) { j.selects = append(j.selects, missing...) }

func (j *Judgement) need(r *run, after seq.Stamp) { j.proofs = append(j.proofs, proof{r, after}) }

// Commit takes note of a judgement about a node: it takes the runs of a holder on, and asks for the
// proofs and the selections that a member waits for.
func (sw *Sweeps) Commit(v View, id graph.NodeID, j *Judgement) {
	for i := range j.steps {
		sw.commitStep(v, id, &j.steps[i])
	}
	sw.wantSelects(v, j.selects)
	for _, p := range j.proofs {
		sw.needProof(v, p.run, p.after)
	}
}

// CommitForeign takes note of a judgement about an object of another share. The run of a holder
// goes on, and asks for selections, because own objects may be its members. The engine of that share
// asks for the proofs that the object itself needs.
func (sw *Sweeps) CommitForeign(v View, id graph.NodeID, j *Judgement) {
	for i := range j.steps {
		x := &j.steps[i]
		if x.what == advances || x.what == ends {
			p := &x.progress
			if p.relists { // no listing is wanted, so none proves that the holder has no member
				p.fenced = x.run.fenced
			}
			p.fence, p.relists, p.listing = false, false, false
		}
		sw.commitStep(v, id, x)
	}
	sw.wantSelects(v, j.selects) // own holders wait for them
}

// commitStep takes the run of a holder on.
func (sw *Sweeps) commitStep(v View, id graph.NodeID, x *step) {
	r := x.run
	switch x.what {
	case begins:
		sw.begin(v, x.plan, id, v.judged(id))
		return
	case leaves:
		if r.over = true; r.done {
			sw.counts.Ended++
		}
		return
	}
	halted := x.what == halts
	if r.halted != halted {
		r.halted = halted
		sw.WalkAgain()
	}
	if halted {
		return
	}
	sw.advance(v, r, &x.progress)
	if r.done = x.progress.done; x.what == ends {
		r.over = true
		sw.counts.Ended++
	}
}
