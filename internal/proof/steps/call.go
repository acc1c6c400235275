package steps

import "go/ast"

// effort is how a function of the standard library treats the elements of its first
// argument.
type effort uint8

const (
	none   effort = iota
	scan          // looks at each
	copies        // copies all together
	makes         // returns as many elements as it has looked at
)

// functions of the packages slices and maps. Those that are not here look at each element.
var functions = map[string]map[string]effort{
	"slices": {
		"All": none, "Values": none, "Backward": none, "Chunk": none, "Grow": none, "Clip": none, // a loop of the caller counts
		"BinarySearch": none, "BinarySearchFunc": none,
		"Clone": copies, "Insert": copies, "Delete": copies, "Concat": copies, "Replace": copies,
		"Collect": makes, "Sorted": makes, "SortedFunc": makes, "SortedStableFunc": makes,
	},
	"maps": {"All": none, "Keys": none, "Values": none, "Collect": makes},
}

// call makes the elements count that a call looks at.
func (f *edited) call(c *ast.CallExpr) {
	if len(c.Args) == 0 {
		return
	}
	switch name := c.Fun.(type) {
	case *ast.Ident:
		switch {
		case name.Name == "append" && c.Ellipsis.IsValid():
			f.wrap(c.Args[len(c.Args)-1], name.Name, "Copy")
		case name.Name == "copy" && len(c.Args) == 2:
			f.wrap(c.Args[1], name.Name, "Copy")
		case name.Name == "clear":
			f.wrap(c.Args[0], name.Name, "Copy")
		}
	case *ast.SelectorExpr:
		pkg, ok := name.X.(*ast.Ident)
		if !ok || functions[pkg.Name] == nil {
			return
		}
		what := pkg.Name + "." + name.Sel.Name
		how, known := functions[pkg.Name][name.Sel.Name]
		if !known {
			how = scan
		}
		switch how {
		case scan:
			f.wrap(c.Args[0], what, "Scan")
		case copies:
			f.wrap(c.Args[0], what, "Copy")
		case makes:
			f.wrap(c, what, "Scan")
		}
	}
}

// wrap makes the elements of an expression count.
func (f *edited) wrap(x ast.Expr, what, how string) {
	switch x := x.(type) {
	case *ast.BasicLit:
		return
	case *ast.Ident:
		if x.Name == "nil" {
			return
		}
	}
	f.insert(x.Pos(), 0, alias+"."+how+"("+f.site(x.Pos(), what)+", ")
	f.insert(x.End(), 0, ")")
}
