// A mux serves the pages of a collector.
package main

import (
	"fmt"
	"log"
	"net/http/httptest"

	"github.com/ownergraph/ownergraph"
	"github.com/ownergraph/ownergraph/adapters/memory"
	"github.com/ownergraph/ownergraph/adapters/web"
)

func main() {
	store, err := memory.New(memory.Config{Kinds: []ownergraph.KindInfo{{Kind: "app"}}})
	if err != nil {
		log.Fatal(err)
	}
	collector, err := ownergraph.New(store, ownergraph.Config{})
	if err != nil {
		log.Fatal(err)
	}
	pages, err := web.New(collector, web.Config{Hosts: []string{"admin.example"}})
	if err != nil {
		log.Fatal(err)
	}
	w := httptest.NewRecorder()
	pages.ServeHTTP(w, httptest.NewRequest("GET", "https://admin.example/ownergraph/reasons", nil))
	fmt.Println("status:", w.Code)
}
