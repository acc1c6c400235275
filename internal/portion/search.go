package portion

import (
	"flag"
	"fmt"
	"os"
	"testing"
)

// Main runs the tests of a package that runs the kit on a store. The searching laws of the kit search for
// a short time, such as "100ms", because go test runs often. With -whole they search for the kit's time.
// The kit's own flag, -storetest.search, comes first. Main ends the process.
func Main(m *testing.M, short string) {
	flag.Parse()
	search := flag.Lookup("storetest.search")
	if !Whole() && search.Value.String() == search.DefValue {
		if err := search.Value.Set(short); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
	}
	os.Exit(m.Run())
}
