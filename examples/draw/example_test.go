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
	// digraph {
	// 	"asset/lost" [label="asset/lost\nkeep: owner's kind not served"]
	// 	"vault/x" -> "asset/lost" [label="unknown"]
	// 	"asset/old" [label="asset/old\nverify: an owner has to be read"]
	// 	"release/v0" -> "asset/old" [label="unknown"]
	// 	"asset/zip" [label="asset/zip\nverify: an owner has to be read"]
	// 	"release/v1" -> "asset/zip" [label="waiting"]
	// 	"page/home" [label="page/home\ndelete: all owners are gone"]
	// 	"repo/site" -> "page/home" [label="dangling"]
	// 	"release/v0" [style=dashed, label="release/v0\nphantom"]
	// 	"release/v1" [label="release/v1\nwait: dependents hold it"]
	// 	"repo/site" -> "release/v1" [label="dangling"]
	// 	"repo/docs" [label="repo/docs\nverify: an owner has to be read"]
	// 	"team/blue" -> "repo/docs" [label="solid"]
	// 	"team/red" -> "repo/docs" [label="unknown"]
	// 	"repo/site" [style=dashed, label="repo/site\nabsent"]
	// 	"team/blue" [label="team/blue\nkeep: no owners"]
	// 	"team/red" [style=dashed, label="team/red\nphantom"]
	// 	"vault/x" [style=dashed, label="vault/x\nphantom"]
	// }
	// // below team/blue: repo/docs
}
