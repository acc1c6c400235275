package lattice

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strings"
)

// params is a set of a function's parameters, one bit each. The receiver is the
// first.
type params uint64

// effect is the part of a function that its callers have to know.
type effect struct {
	writes  params // the parameters through which it changes memory
	returns params // the parameters that its results may share memory with
}

// effects finds the functions that change their parameters. It is a cautious
// approximation: a variable that may share memory with a parameter counts as that
// parameter, in every statement. Functions called clone count as without effect.
// So do calls of function values and of interface methods.
type effects struct {
	declarations
	of map[*types.Func]effect
	// cause is the first change that a function makes.
	cause map[*types.Func]token.Pos
	// caches are fields whose change does not count: "Type.field".
	caches []string
}

func newEffects(p declarations, caches []string) *effects {
	a := &effects{p, map[*types.Func]effect{}, map[*types.Func]token.Pos{}, caches}
	all := p.sorted()
	for grew := true; grew; {
		grew = false
		for _, d := range all {
			if strings.EqualFold(d.fn.Name(), "clone") {
				continue
			}
			if now := newScan(a, d).run(); now != a.of[d.fn] {
				a.of[d.fn] = now
				grew = true
			}
		}
	}
	return a
}

// scan is the analysis of one function.
type scan struct {
	*effects
	decl   *definition
	shares map[types.Object]params // the parameters that a variable may share memory with
	now    effect
}

func newScan(a *effects, d *definition) *scan {
	s := &scan{effects: a, decl: d, shares: map[types.Object]params{}}
	sig := d.fn.Signature()
	i := 0
	add := func(v *types.Var) {
		s.shares[v] = 1 << min(i, 63)
		i++
	}
	if sig.Recv() != nil {
		add(sig.Recv())
	}
	for v := range sig.Params().Variables() {
		add(v)
	}
	return s
}

// run scans the body until the shares of the variables are complete.
func (s *scan) run() effect {
	for {
		before := len(s.shares)
		var sum params
		for _, v := range s.shares {
			sum += v
		}
		ast.Inspect(s.decl.decl.Body, func(n ast.Node) bool { s.node(n); return true })
		var after params
		for _, v := range s.shares {
			after += v
		}
		if len(s.shares) == before && sum == after {
			return s.now
		}
	}
}

func (s *scan) node(n ast.Node) {
	switch n := n.(type) {
	case *ast.AssignStmt:
		for i, l := range n.Lhs {
			s.assign(l, n.Rhs[min(i, len(n.Rhs)-1)])
		}
	case *ast.ValueSpec:
		for i, name := range n.Names {
			if len(n.Values) > 0 {
				s.assign(name, n.Values[min(i, len(n.Values)-1)])
			}
		}
	case *ast.IncDecStmt:
		s.change(n, s.target(n.X))
	case *ast.RangeStmt:
		for _, e := range []ast.Expr{n.Key, n.Value} {
			if e != nil {
				s.assign(e, n.X)
			}
		}
	case *ast.ReturnStmt:
		for _, e := range n.Results {
			s.now.returns |= s.roots(e)
		}
	case *ast.CallExpr:
		s.change(n, s.called(n))
	}
}

// change enters a change of parameters at a node.
func (s *scan) change(at ast.Node, of params) {
	if fn := s.decl.fn; of != 0 && !s.cause[fn].IsValid() {
		s.cause[fn] = at.Pos()
	}
	s.now.writes |= of
}

// assign enters l = r.
func (s *scan) assign(l, r ast.Expr) {
	id, ok := ast.Unparen(l).(*ast.Ident)
	if !ok {
		s.change(l, s.target(l))
		return
	}
	obj := s.info.Defs[id]
	if obj == nil {
		obj = s.info.Uses[id]
	}
	if obj != nil && refers(obj.Type()) {
		s.shares[obj] |= s.roots(r)
	}
}

// roots returns the parameters that the value of an expression may share memory
// with.
func (s *scan) roots(e ast.Expr) params {
	if t := s.info.TypeOf(e); t != nil && !refers(t) {
		return 0
	}
	return s.memory(e)
}

// memory returns the parameters whose memory an expression lies in.
func (s *scan) memory(e ast.Expr) params {
	var all params
	switch x := ast.Unparen(e).(type) {
	case *ast.Ident:
		return s.shares[s.info.Uses[x]]
	case *ast.SelectorExpr:
		if s.cache(x) {
			return 0
		}
		return s.memory(x.X)
	case *ast.IndexExpr:
		return s.memory(x.X)
	case *ast.SliceExpr:
		return s.memory(x.X)
	case *ast.StarExpr:
		return s.memory(x.X)
	case *ast.TypeAssertExpr:
		return s.memory(x.X)
	case *ast.UnaryExpr:
		return s.memory(x.X)
	case *ast.CompositeLit:
		for _, v := range x.Elts {
			if kv, ok := v.(*ast.KeyValueExpr); ok {
				v = kv.Value
			}
			all |= s.roots(v)
		}
	case *ast.CallExpr:
		return s.results(x)
	}
	return all
}

// target returns the parameters that an assignment to the expression changes.
func (s *scan) target(e ast.Expr) params {
	switch x := ast.Unparen(e).(type) {
	case *ast.SelectorExpr:
		if s.cache(x) {
			return 0
		}
		if pointer(s.info.TypeOf(x.X)) {
			return s.roots(x.X)
		}
		return s.target(x.X)
	case *ast.IndexExpr:
		if _, array := s.info.TypeOf(x.X).Underlying().(*types.Array); array {
			return s.target(x.X)
		}
		return s.roots(x.X)
	case *ast.StarExpr:
		return s.roots(x.X)
	}
	return 0
}

// cache reports whether an expression selects a field that is a cache.
func (s *scan) cache(x *ast.SelectorExpr) bool {
	t := s.info.TypeOf(x.X)
	if t == nil {
		return false // a package
	}
	if p, ok := t.Underlying().(*types.Pointer); ok {
		t = p.Elem()
	}
	named, ok := types.Unalias(t).(*types.Named)
	return ok && slices.Contains(s.caches, named.Obj().Name()+"."+x.Sel.Name)
}

// operands returns the receiver and the arguments of a call.
func (s *scan) operands(call *ast.CallExpr) []ast.Expr {
	sel, ok := ast.Unparen(call.Fun).(*ast.SelectorExpr)
	if ok && s.info.Selections[sel] != nil {
		return append([]ast.Expr{sel.X}, call.Args...)
	}
	return call.Args
}

// called returns the parameters that a call changes.
func (s *scan) called(call *ast.CallExpr) params {
	if id, ok := ast.Unparen(call.Fun).(*ast.Ident); ok {
		if b, ok := s.info.Uses[id].(*types.Builtin); ok {
			if slices.Contains([]string{"delete", "clear", "copy"}, b.Name()) {
				return s.roots(call.Args[0])
			}
			return 0
		}
	}
	fn := s.callee(call)
	if fn == nil {
		return 0
	}
	writes := s.of[fn].writes
	if s.decls[fn] == nil {
		writes = foreign(fn)
	}
	var all params
	for i, e := range s.operands(call) {
		if writes&(1<<min(i, 63)) != 0 {
			all |= s.changed(e)
		}
	}
	return all
}

// changed returns the parameters that a callee changes through an operand. The
// operand is a reference, or a variable whose address the call takes.
func (s *scan) changed(e ast.Expr) params {
	if refers(s.info.TypeOf(e)) {
		return s.memory(e)
	}
	return s.target(e)
}

// results returns the parameters that a call's results may share memory with.
func (s *scan) results(call *ast.CallExpr) params {
	fn := s.callee(call)
	known := fn != nil && s.decls[fn] != nil
	if fn != nil && strings.EqualFold(fn.Name(), "clone") {
		return 0
	}
	var all params
	for i, e := range s.operands(call) {
		if !known || s.of[fn].returns&(1<<min(i, 63)) != 0 {
			all |= s.roots(e)
		}
	}
	return all
}

// foreign returns the parameters that a function of another module or of the
// standard library changes: those of methods with a pointer, and of functions
// that work in place.
func foreign(fn *types.Func) params {
	if recv := fn.Signature().Recv(); recv != nil {
		if !pointer(recv.Type()) || slices.Contains([]string{"Peek", "Contains", "Len", "Keys", "Values"}, fn.Name()) {
			return 0
		}
		return 1
	}
	if pkg := fn.Pkg(); pkg != nil && (pkg.Path() == "slices" || pkg.Path() == "maps") {
		for _, verb := range []string{"Sort", "Delete", "Insert", "Compact", "Reverse", "Copy", "Replace"} {
			if strings.HasPrefix(fn.Name(), verb) && fn.Name() != "Sorted" {
				return 1
			}
		}
	}
	return 0
}

func pointer(t types.Type) bool {
	_, ok := t.Underlying().(*types.Pointer)
	return ok
}

// refers reports whether a value of the type may share memory with another.
func refers(t types.Type) bool {
	switch u := t.Underlying().(type) {
	case *types.Basic:
		return u.Kind() == types.UnsafePointer
	case *types.Struct:
		for f := range u.Fields() {
			if refers(f.Type()) {
				return true
			}
		}
		return false
	case *types.Array:
		return refers(u.Elem())
	case *types.Tuple:
		for v := range u.Variables() {
			if refers(v.Type()) {
				return true
			}
		}
		return false
	}
	return true
}
