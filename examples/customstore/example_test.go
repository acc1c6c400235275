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
	// Unordered output:
	// the user deletes Team blue
	// delete Repo docs: all owners are gone
	// delete Repo site: all owners are gone
	// 3 objects are gone; the collector made 2 deletes and 0 reads; 0 objects are held
}
