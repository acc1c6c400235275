package cli

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
)

// TestColumns: the tree and the plan show what the server prints of each object, on request.
func TestColumns(t *testing.T) {
	a := newCluster()
	a.fault = func(verb, plural string, q *http.Request) http.HandlerFunc {
		if verb != "list" || plural != "pods" || !strings.Contains(q.Header.Get("Accept"), "as=Table") {
			return nil
		}
		return func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "application/json")
			fmt.Fprint(w, `{"kind":"Table","apiVersion":"meta.k8s.io/v1","columnDefinitions":[{"name":"Name"},{"name":"Ready"},{"name":"Age"}],
				"rows":[{"cells":["cart-1-x","1/1","5d"],"object":{"metadata":{"name":"cart-1-x"}}},{"cells":["cart-1-y","0/1\u001b[2J","6d"],"object":{"metadata":{"name":"cart-1-y"}}}]}`)
		}
	}
	flags := a.serve(t)
	for _, args := range [][]string{{"tree", "deploy/cart", "--columns"}, {"plan", "deploy/cart", "--columns"}} {
		got := callPlugin(t, append(args, flags...)...)
		if !strings.Contains(got.stdout, "Pod/shop/cart-1-x (ready 1/1, age 5d)") || strings.Contains(got.stdout, "\x1b") || strings.Contains(got.stdout, "Deployment.apps/shop/cart (") {
			t.Errorf("%v: exit %d\n%s%s", args, got.code, got.stdout, got.stderr)
		}
	}
	if got := callPlugin(t, append([]string{"tree", "deploy/cart", "--columns", "-o", "json"}, flags...)...); got.code != 2 {
		t.Errorf("JSON: exit %d: it has no columns\n%s", got.code, got.stderr)
	}
	if got := call(t, pod("a"), "tree", "pod/a", "-f", "-", "--columns"); got.code != 2 || !strings.Contains(got.stderr, "--columns: want a cluster") {
		t.Errorf("a dump: exit %d\n%s", got.code, got.stderr)
	}
}
