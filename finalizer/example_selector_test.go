package finalizer_test

import (
	"fmt"

	"github.com/ownergraph/ownergraph/finalizer"
)

// A store that selects by labels keeps the labels beside its objects.
func ExampleSelector() {
	by, err := finalizer.ParseSelector("app=web, tier in (gold,silver), !canary")
	fmt.Println(by, err)
	fmt.Println(by.Matches(map[string]string{"app": "web", "tier": "gold"}))
	fmt.Println(by.Matches(map[string]string{"app": "web", "tier": "gold", "canary": "yes"}))
	_, err = finalizer.ParseSelector("replicas > 3")
	fmt.Println(err)
	// Output:
	// app in (web),tier in (gold,silver),!canary <nil>
	// true
	// false
	// selector "replicas > 3": "replicas > 3": numbers are not compared: invalid
}
