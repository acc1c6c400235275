package main

import (
	"context"
	"fmt"
	"os"
)

func Example() {
	if err := run(context.Background(), os.Stdout); err != nil {
		fmt.Println(err)
	}
	// Output:
	// page/shop/a: <nil>
	// page/shop/b: create page/shop/b: owners[0] team/grey: the owner is gone: refused
	// page/shop/c: create page/shop/c: owners[0] team/none: owner not observed: refused
	// page/shop/d: create page/shop/d: owners[0] repo/other/app: owner in another scope: refused
	// page/shop/e: create page/shop/e: owners[0] team/red: the owner waits for its dependents, and would take the object along: refused
	// page/shop/f: create page/shop/f: owners[0] team/gold: the owner leaves its dependents, and the reference would go: refused
	// page/shop/g: create page/shop/g: owners[0] user/x: owner's kind not served: refused
	// page/shop/h: create page/shop/h: owners[0] team/blue: owner not observed: refused
	// page/shop/i: validate page/shop/i: owners[1].controller: owners[0] is one already: invalid
}
