package guard_test

import (
	"fmt"

	"github.com/ownergraph/ownergraph/guard"
)

// A store that selects by labels keeps the labels beside its objects.
func ExampleSelector() {
	by, err := guard.ParseSelector("app=web, tier in (gold,silver), !canary")
	fmt.Println(by, err)
	fmt.Println(by.Matches(map[string]string{"app": "web", "tier": "gold"}))
	fmt.Println(by.Matches(map[string]string{"app": "web", "tier": "gold", "canary": "yes"}))
	_, err = guard.ParseSelector("replicas > 3")
	fmt.Println(err)
	// Output:
	// app in (web),tier in (gold,silver),!canary <nil>
	// true
	// false
	// selector "replicas > 3": "replicas > 3": numbers are not compared: invalid
}
