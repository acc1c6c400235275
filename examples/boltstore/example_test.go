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
	// the user deletes Team blue in the foreground
	// delete Repo docs: all owners are gone or wait for it
	// delete Repo site: all owners are gone or wait for it
	// release Team blue: nothing blocks it any more
	// 3 objects are gone; 0 writes were best effort; 0 objects are held
}
