package draft

import (
	"crypto/sha256"
	"encoding/hex"
	"hash"
	"slices"
	"strconv"

	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/internal/core/excerpt"
)

// Fingerprint returns a hash of the facts on which the decisions of a plan rest: UIDs,
// owners, finalizers, marks and protection (RULES, P5). Protection returns the name of the
// rule that protects an object, or "". Versions, generations and the order of
// finalizers are none of them, since status is written all the time. The parts are sorted
// by key. The result has 64 hexadecimal digits.
//
//test:by TestFingerprint
func Fingerprint(parts []excerpt.Part, protection func(*graph.Object) string) string {
	h := sha256.New()
	p := printer{h: h}
	for i := range parts {
		p.part(&parts[i])
		if parts[i].State == excerpt.Exists {
			p.text(protection(&parts[i].Object))
		}
	}
	p.flush()
	return hex.EncodeToString(h.Sum(nil))
}

// printer writes facts so that no two lists of facts have one text: each text has its
// length before it.
type printer struct {
	h   hash.Hash
	buf []byte
}

func (p *printer) part(x *excerpt.Part) {
	p.key(x.Object.Key)
	p.number(uint64(x.State))
	if x.State != excerpt.Exists {
		return
	}
	o := &x.Object
	p.number(bit(o.Deleting) | bit(o.GraceSeconds != 0)<<1 | bit(x.Orphaned)<<2)
	p.number(uint64(len(o.Owners)))
	for i := range o.Owners {
		r := &o.Owners[i]
		p.key(r.Key)
		p.number(bit(r.Block) | bit(r.Controller)<<1 | bit(r.Unresolved)<<2 | uint64(r.OnDelete)<<3)
	}
	names := o.Finalizers
	if len(names) > 1 {
		names = slices.Sorted(slices.Values(names))
	}
	p.number(uint64(len(names)))
	for _, f := range names {
		p.text(f)
	}
	if len(p.buf) > 4096 {
		p.flush()
	}
}

func (p *printer) flush() {
	_, _ = p.h.Write(p.buf) // a hash returns no error
	p.buf = p.buf[:0]
}

func (p *printer) key(k graph.Key) {
	p.text(string(k.Kind))
	p.text(k.Scope)
	p.text(k.Name)
	p.text(string(k.UID))
}

func (p *printer) text(s string) {
	p.number(uint64(len(s)))
	p.buf = append(p.buf, s...)
}

func (p *printer) number(n uint64) { p.buf = append(strconv.AppendUint(p.buf, n, 36), ' ') }

func bit(b bool) uint64 {
	if b {
		return 1
	}
	return 0
}
