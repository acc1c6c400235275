package run

import "context"

// checkSweeps logs each sweep whose holders are in namespaces, with the bound of its members.
//
//test:by TestSweepsInNamespaces
func (p *Program) checkSweeps(ctx context.Context) {
	sweeps := p.config.Engine.Sweeps
	if len(sweeps) == 0 || p.collector.Synced(ctx) != nil {
		return
	}
	for _, s := range sweeps {
		if p.store.Namespaced(s.Holder) {
			p.log.Info("the holders of a sweep are in namespaces: members outside of the holder's namespace are not covered",
				"kind", string(s.Holder), "finalizer", s.Finalizer)
		}
	}
}
