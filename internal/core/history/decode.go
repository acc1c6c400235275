package history

import (
	"encoding/binary"
	"github.com/ownergraph/ownergraph/internal/core/flags"
	"time"

	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/internal/core/inflight"
	"github.com/ownergraph/ownergraph/policy"
)

// reader reads a record of the history, which only package history writes.
type reader struct{ b []byte }

func (r *reader) byte() byte {
	c := r.b[0]
	r.b = r.b[1:]
	return c
}

func (r *reader) word() uint64 {
	n := binary.LittleEndian.Uint64(r.b)
	r.b = r.b[8:]
	return n
}

func (r *reader) number() int {
	n, used := binary.Uvarint(r.b)
	r.b = r.b[used:]
	return int(n)
}

func (r *reader) bytes() []byte {
	n := r.number()
	b := r.b[:n]
	r.b = r.b[n:]
	return b
}

func (r *reader) text() string { return string(r.bytes()) }

// time reads a time. Zero is none.
func (r *reader) time() time.Time { return timeOf(int64(r.word())) }

func timeOf(nanoseconds int64) time.Time {
	if nanoseconds == 0 {
		return time.Time{}
	}
	return time.Unix(0, nanoseconds)
}

// skipKey returns the bytes of coordinates.
func (r *reader) skipKey() []byte {
	from := r.b
	for range 4 {
		r.bytes()
	}
	return from[:len(from)-len(r.b)]
}

func (r *reader) key() graph.Key {
	return graph.Key{Kind: graph.Kind(r.text()), Scope: r.text(), Name: r.text(), UID: graph.UID(r.text())}
}

func (r *reader) owner() graph.Owner {
	first, policy := r.byte(), graph.OnDeleteUnset
	if first&flags.HasPolicy != 0 {
		policy = graph.OnDelete(r.byte())
	}
	return graph.Owner{
		Key: r.key(), Block: first&flags.Blocks != 0, Controller: first&flags.Controls != 0,
		Unresolved: first&flags.Unresolved != 0, OnDelete: policy,
	}
}

// entry reads the record of an end.
func (r *reader) entry() (e Entry) {
	e.Proof.Outcome, e.Proof.Call = inflight.Outcome(r.byte()), r.word()
	e.Ended, e.Garbage = r.time(), Garbage(r.byte())
	first := r.byte()
	e.Unseen, e.Object.Deleting = first&endUnseen != 0, first&endDeleting != 0
	e.Object.Key = r.key()
	if set := (reader{r.bytes()}); first&endSelf != 0 {
		e.Root.Keys = []graph.Key{e.Object.Key}
	} else {
		e.Root = set.root()
	}
	e.Object.Version = graph.Version(r.text())
	e.Object.Owners, e.Cut = r.owners()
	all, kept := r.number(), r.number()
	for range kept {
		e.Object.Finalizers = append(e.Object.Finalizers, r.text())
	}
	if e.Own = e.Proof.Call != 0 && mayHaveDeleted(e.Proof.Outcome); !e.Own {
		e.Proof = Proof{}
	} else {
		r.proof(&e.Proof, e.Object.Owners, e.Cut, first&endJudged != 0)
	}
	e.Cut += all - kept
	return e
}

// owners reads a list of owners, and the number of those that were cut off.
func (r *reader) owners() (list []graph.Owner, cut int) {
	all, kept := r.number(), int(r.byte())
	for range kept {
		list = append(list, r.owner())
	}
	return list, all - kept
}

// proof reads a proof. Judged says that its owners are those of the object.
func (r *reader) proof(p *Proof, owners []graph.Owner, cut int, judged bool) {
	p.Version = graph.Version(r.text())
	p.Action, p.Reason, p.Propagation = policy.Action(r.byte()), policy.Reason(r.byte()), graph.Propagation(r.byte())
	if r.byte() == proofHolder {
		p.Holder = r.key()
	}
	if p.OwnersCut = cut; !judged {
		owners, p.OwnersCut = r.owners()
	}
	for _, o := range owners {
		class := r.byte()
		p.Owners = append(p.Owners, OwnerProof{
			Owner: o, Class: graph.Class(class &^ classSelf), Self: class&classSelf != 0, Source: Source(r.byte()), Since: r.time(),
		})
	}
}
