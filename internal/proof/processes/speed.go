package processes

import (
	"fmt"
	"slices"

	"github.com/ownergraph/ownergraph/internal/proof/figures"
)

// speeds prints the objects a second of one, two and three processes. The time is that from the
// beginning of the first write to the last answer.
func (p *Proof) speeds() {
	if p.size.Speed == 0 {
		return
	}
	for n := range 3 {
		var names []string
		for i := range n + 1 {
			names = append(names, fmt.Sprintf("speed%d-%d", n+1, i))
		}
		list := p.createCascades(p.size.Speed)
		p.Start(RoleMember, names...)
		p.Divided(names...)
		p.begin(list)()
		p.settled(list)
		p.End(names...)
		r := p.report()
		all := r.of(list)
		last := slices.MaxFunc(all, func(a, b Write) int { return a.Ended.Compare(b.Ended) })
		took := last.Ended.Sub(all[0].At)
		_, text := r.ratio(list)
		p.t.Logf("%d processes: %s objects/s, %s", n+1, figures.Number(float64(needed(list))/took.Seconds()), text)
	}
}
