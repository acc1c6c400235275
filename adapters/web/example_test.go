package web_test

import (
	"context"
	"crypto/sha256"
	"crypto/subtle"
	"fmt"
	"log"
	"net/http"
	"net/http/httptest"

	"github.com/ownergraph/ownergraph"
	"github.com/ownergraph/ownergraph/adapters/memory"
	"github.com/ownergraph/ownergraph/adapters/web"
)

// signedIn lets the requests of one user pass. The password goes over TLS alone.
func signedIn(next http.Handler, user, password string) http.Handler {
	equal := func(a, b string) bool { // in a time that tells nothing
		x, y := sha256.Sum256([]byte(a)), sha256.Sum256([]byte(b))
		return subtle.ConstantTimeCompare(x[:], y[:]) == 1
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		name, word, _ := r.BasicAuth()
		if nameOK, wordOK := equal(name, user), equal(word, password); !nameOK || !wordOK {
			w.Header().Set("WWW-Authenticate", `Basic realm="ownergraph", charset="UTF-8"`)
			http.Error(w, "sign in", http.StatusUnauthorized)
			return
		}
		next.ServeHTTP(w, r)
	})
}

// The host program signs the readers in. Behind a proxy that signs users in, such as an
// OpenID Connect proxy, serve the handler on a loopback address, and list the proxy's name in
// Config.Hosts.
func Example() {
	store, err := memory.New(memory.Config{Kinds: []ownergraph.KindInfo{{Kind: "app"}}})
	if err != nil {
		log.Fatal(err)
	}
	collector, err := ownergraph.New(store, ownergraph.Config{})
	if err != nil {
		log.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	go func() { _ = collector.Run(ctx) }()

	pages, err := web.New(collector, web.Config{Hosts: []string{"admin.example"}})
	if err != nil {
		log.Fatal(err)
	}
	mux := http.NewServeMux()
	mux.Handle("/ownergraph/", signedIn(pages, "operator", "a long password"))

	for _, password := range []string{"guess", "a long password"} {
		r := httptest.NewRequest("GET", "https://admin.example/ownergraph/reasons", nil)
		r.SetBasicAuth("operator", password)
		w := httptest.NewRecorder()
		mux.ServeHTTP(w, r)
		fmt.Println(w.Code)
	}
	// Output:
	// 401
	// 200
}
