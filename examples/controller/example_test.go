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
	// a user deletes team/blue: foreground
	//   delete repo/site: all owners are gone or wait for it
	//   delete page/home: all owners are gone or wait for it
	//   release repo/site: nothing blocks it any more
	//   release team/blue: nothing blocks it any more
	// a user deletes team/red: background
	//   trim repo/wiki: some owners are gone, another exists
	//   delete repo/docs: all owners are gone
	// a user deletes team/gold: orphan
	//   orphan repo/app: an owner leaves it
	//   release team/gold: nothing refers to it any more
	// left: repo/app; repo/wiki -> team/green; team/green
}
