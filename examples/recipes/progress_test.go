package recipes_test

import (
	"context"
	"fmt"
	"log"
	"strings"

	"github.com/ownergraph/ownergraph"
)

// A bar follows a deletion to its end. Known is not yet the whole cascade while Growing is set.
func Example_progressBar() {
	store, collector, stop := start(ownergraph.Config{})
	defer stop()
	ctx := context.Background()
	team := create(store, "team", "blue")
	for i := range 9 {
		create(store, "database", fmt.Sprint("db", i), team.ControllerRef())
	}
	idle(collector) // it has listed the store, and so knows the team
	if err := store.Delete(ctx, team.Key, ownergraph.DeleteOptions{Propagation: ownergraph.Foreground}); err != nil {
		log.Fatal(err)
	}
	last := ""
	for p, err := range collector.Follow(ctx, team.Key) {
		if err != nil {
			log.Fatal(err)
		}
		last = bar(p.Gone, p.Known) // a terminal prints each of them after "\r"
	}
	fmt.Println(last)
	// Output:
	// [##########] 10 of 10 gone
}

func bar(gone, known int) string {
	const width = 10
	n := width * gone / max(known, 1)
	return fmt.Sprintf("[%s%s] %d of %d gone", strings.Repeat("#", n), strings.Repeat("-", width-n), gone, known)
}
