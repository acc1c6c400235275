package main

import (
	"flag"
	"fmt"
	"os"
	"testing"

	"github.com/ownergraph/ownergraph/internal/share"
)

// TestMain makes the searching laws of the kit search for a short time, because go test runs
// often. With -whole they search for the kit's time. The kit's own flag comes first.
func TestMain(m *testing.M) {
	flag.Parse()
	search := flag.Lookup("storetest.search")
	if !share.Whole() && search.Value.String() == search.DefValue {
		if err := search.Value.Set("200ms"); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
	}
	os.Exit(m.Run())
}
