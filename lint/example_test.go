package lint_test

import (
	"encoding/json"
	"fmt"

	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/lint"
)

// shop returns a dump with three faults: a missing owner, an owner in another scope, and a
// finalizer without a handler.
func shop() lint.Input {
	objects, err := graph.Parse("pod/shop/web -> set/shop/web; pod/test/web -> set/shop/front@s1; set/shop/front@s1; " +
		"volume/shop/data[example.com/empty]")
	if err != nil {
		panic(err)
	}
	var in lint.Input
	for _, k := range []graph.Kind{"pod", "set", "volume"} {
		in.Kinds = append(in.Kinds, lint.Kind{KindInfo: graph.KindInfo{Kind: k, Scoped: true}, Listed: true})
	}
	for _, o := range objects {
		in.Objects = append(in.Objects, lint.Object{Object: o})
	}
	return in
}

// A handler list makes Check judge the finalizers.
func ExampleCheck() {
	report, err := lint.Check(shop(), lint.Config{Handlers: []string{"example.com/backup"}})
	if err != nil {
		panic(err)
	}
	fmt.Print(report)
	// Output:
	// OG001 error pod/shop/web: owners[0].uid: No object has the UID of the owner set/shop/web. Fate: the collector deletes this now.
	// OG006 error pod/test/web: owners[0].scope: The owner's scope is "shop", and the object's scope is "test". Fate: kept for ever.
	// OG022 warning volume/shop/data: finalizers: No handler is known for the finalizer "example.com/empty".
}

// A person reads the findings by code, in columns, with the remedy of each code.
func ExampleReport_Text() {
	report, err := lint.Check(shop(), lint.Config{})
	if err != nil {
		panic(err)
	}
	fmt.Print(report.Text(10, len(shop().Objects)))
	// Output:
	// OG001 error: owner missing (1)
	//   pod/shop/web  owners[0].uid  No object has the UID of the owner set/shop/web  the collector deletes this now
	//   Remedy: Keep the object by dropping the reference, or create the owner first after a restore.
	// OG006 error: owner in another scope (1)
	//   pod/test/web  owners[0].scope  The owner's scope is "shop", and the object's scope is "test"  kept for ever
	//   Remedy: Move one of the two, or use a global owner.
	// 2 errors in 4 objects
}

// A report counts the findings that the list leaves out.
func ExampleParseIgnore() {
	list, err := lint.ParseIgnore(`
OG001 pod/shop/web # restored by hand tomorrow
* pod/test/web
`)
	if err != nil {
		panic(err)
	}
	report, err := lint.Check(shop(), lint.Config{Ignore: list})
	if err != nil {
		panic(err)
	}
	fmt.Print(report)

	_, err = lint.ParseIgnore("OG001\nOG1")
	fmt.Println(err)
	// Output:
	// OG001: 1 found, 1 ignored, 0 left out
	// OG006: 1 found, 1 ignored, 0 left out
	// parse ignore list: line 2: parse code "OG1": want OG001 to OG039: invalid
}

func ExampleReport_MarshalJSON() {
	in := shop()
	in.Objects = in.Objects[:1]
	report, err := lint.Check(in, lint.Config{})
	if err != nil {
		panic(err)
	}
	text, err := json.MarshalIndent(report, "", "  ")
	if err != nil {
		panic(err)
	}
	fmt.Println(string(text))
	// Output:
	// {
	//   "schema": "lint/v1",
	//   "findings": [
	//     {
	//       "code": "OG001",
	//       "severity": "error",
	//       "object": {
	//         "kind": "pod",
	//         "scope": "shop",
	//         "name": "web",
	//         "uid": "pod/shop/web"
	//       },
	//       "field": "owners[0].uid",
	//       "message": "No object has the UID of the owner set/shop/web.",
	//       "fate": "the collector deletes this now"
	//     }
	//   ],
	//   "counts": [
	//     {
	//       "code": "OG001",
	//       "found": 1,
	//       "ignored": 0,
	//       "leftOut": 0
	//     }
	//   ]
	// }
}

func ExampleCodes() {
	for _, c := range lint.Codes()[:2] {
		fmt.Printf("%s %s\n  %s\n  %s\n", c.Code, c.Title, c.Importance, c.Remedy)
	}
	// Output:
	// OG001 owner missing
	//   The collector deletes a dependent without any owner. It drops the reference if another owner lives.
	//   Keep the object by dropping the reference, or create the owner first after a restore.
	// OG002 owner's kind not listed
	//   The dump cannot tell whether the owner exists.
	//   Add the kind to the dump, give its reader the right to list it, or repair the server of the kind.
}
