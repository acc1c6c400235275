package recipes_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"net/http"
	"net/http/httptest"

	"github.com/ownergraph/ownergraph"
	"github.com/ownergraph/ownergraph/guard"
	"github.com/ownergraph/ownergraph/plan"
)

// A person sees the plan of a deletion, and approves exactly this plan. A guard holds every deletion
// of a team until then.
func Example_approval() {
	none := 0
	store, collector, stop := start(ownergraph.Config{
		Guards: []guard.Guard{{Name: "teams", Kinds: []ownergraph.Kind{"team"}, Above: &none}},
	})
	defer stop()
	server := httptest.NewServer(approvals(collector))
	defer server.Close()

	team := create(store, "team", "blue")
	create(store, "database", "orders", team.ControllerRef())
	idle(collector) // the team carries the finalizers of its guard
	if err := store.Delete(context.Background(), team.Key, ownergraph.DeleteOptions{Propagation: ownergraph.Foreground}); err != nil {
		log.Fatal(err)
	}
	fmt.Println(idle(collector)[0])

	address := server.URL + "/teams/" + string(team.UID)
	_, fingerprint := request("GET", address)
	create(store, "database", "users", team.ControllerRef()) // the cascade is another one now
	status, _ := request("POST", address+"?fingerprint="+fingerprint)
	fmt.Println("approve the old plan:", status)

	_, fingerprint = request("GET", address)
	status, _ = request("POST", address+"?fingerprint="+fingerprint)
	fmt.Println("approve the new plan:", status)
	idle(collector)
	fmt.Println(len(store.Objects()), "objects are left")
	// Output:
	// team/blue: its deletion needs an approval (1 object ends, and the limit is 0, guard teams)
	// approve the old plan: 409
	// approve the new plan: 204
	// 0 objects are left
}

// approvals shows the plan of a team's deletion, and takes the approval of a plan by its fingerprint.
// A real program signs the person in first.
func approvals(c *ownergraph.Collector) http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /teams/{uid}", func(w http.ResponseWriter, r *http.Request) {
		p, err := c.Plan(r.Context(), plan.Request{Delete: []plan.Target{{Key: team(r)}}})
		if err != nil {
			http.Error(w, err.Error(), http.StatusInternalServerError)
			return
		}
		fmt.Fprint(w, p.Fingerprint) // a page shows p.Text() beside it
	})
	mux.HandleFunc("POST /teams/{uid}", func(w http.ResponseWriter, r *http.Request) {
		err := c.Approve(r.Context(), team(r), ownergraph.Approval{Fingerprint: r.FormValue("fingerprint")})
		switch {
		case errors.Is(err, plan.ErrChanged):
			http.Error(w, err.Error(), http.StatusConflict) // look again
		case err != nil:
			http.Error(w, err.Error(), http.StatusBadRequest)
		default:
			w.WriteHeader(http.StatusNoContent)
		}
	})
	return mux
}

// team returns the team of a request. The UID keeps a later team of the same name apart.
func team(r *http.Request) ownergraph.Key {
	return ownergraph.Key{Kind: "team", Name: "blue", UID: ownergraph.UID(r.PathValue("uid"))}
}

// request returns the status and the body of an answer.
func request(method, address string) (int, string) {
	r, err := http.NewRequest(method, address, nil)
	if err != nil {
		log.Fatal(err)
	}
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		log.Fatal(err)
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	if err != nil {
		log.Fatal(err)
	}
	return answer.StatusCode, string(text)
}
