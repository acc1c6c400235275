package run

import (
	"net/http"
	"strings"

	"k8s.io/apimachinery/pkg/labels"

	"github.com/ownergraph/ownergraph/adapters/clientgo/internal/fakenet"
)

// listLeases answers with whole Leases, by label or by name.
func (a *api) listLeases(w http.ResponseWriter, q *http.Request, r *resource) {
	selector, err := labels.Parse(q.URL.Query().Get("labelSelector"))
	if err != nil {
		panic(err)
	}
	name, one := strings.CutPrefix(q.URL.Query().Get("fieldSelector"), "metadata.name=")
	items := []object{}
	for _, o := range a.all(r.plural) {
		if m := o.meta(); selector.Matches(labels.Set(m.Labels)) && (!one || m.Name == name) {
			items = append(items, o)
		}
	}
	fakenet.WriteJSON(w, http.StatusOK, map[string]any{"metadata": map[string]any{}, "items": items})
}

// leases returns the holders of the Leases, by name.
func (a *api) leases() map[string]string {
	out := map[string]string{}
	for _, o := range a.all("leases") {
		spec, _ := o["spec"].(map[string]any)
		holder, _ := spec["holderIdentity"].(string)
		out[o.meta().Name] = holder
	}
	return out
}
