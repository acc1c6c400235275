package mutants

import (
	"fmt"
	"go/ast"
	"go/token"
	"strconv"
	"strings"
)

// statement notes the mutants of a statement, without the mutants of its parts.
func (f *finder) statement(n ast.Stmt) {
	switch n := n.(type) {
	case *ast.IfStmt:
		f.negate(n.Cond)
		if n.Else != nil {
			f.change("drop else", n.Body.End(), n.Else.End(), "")
		}
	case *ast.ForStmt:
		if n.Cond != nil {
			f.replace("never loop", n.Cond, "false")
		}
	case *ast.SwitchStmt:
		f.clauses(n)
	case *ast.AssignStmt:
		f.assign(n)
	case *ast.IncDecStmt:
		f.change("count back", n.TokPos, n.End(), opposite(n.Tok).String())
	case *ast.BranchStmt:
		if n.Label == nil && n.Tok != token.FALLTHROUGH {
			f.replace("remove branch", n, "")
			f.replace("other branch", n, opposite(n.Tok).String())
		}
	}
}

// clauses drops each clause of a switch. Without a tag, it also negates each condition.
func (f *finder) clauses(n *ast.SwitchStmt) {
	for _, s := range n.Body.List {
		c := s.(*ast.CaseClause)
		f.replace("drop case", c, "")
		if n.Tag == nil {
			for _, e := range c.List {
				f.negate(e)
			}
		}
	}
}

func (f *finder) assign(n *ast.AssignStmt) {
	switch n.Tok {
	case token.DEFINE:
	case token.ASSIGN:
		f.replace("remove assignment", n, "")
	default:
		if o := opposite(n.Tok); o != token.ILLEGAL {
			f.change("other operator", n.TokPos, n.TokPos+token.Pos(len(n.Tok.String())), o.String())
		}
		f.replace("remove assignment", n, "")
	}
}

func (f *finder) negate(e ast.Expr) { f.replace("negate", e, "!("+f.source(e)+")") }

// expression notes the mutants of an expression, without the mutants of its parts.
func (f *finder) expression(n ast.Expr) {
	switch n := n.(type) {
	case *ast.BinaryExpr:
		if o := opposite(n.Op); o != token.ILLEGAL {
			f.change("other operator", n.OpPos, n.OpPos+token.Pos(len(n.Op.String())), o.String())
		}
		if n.Op == token.LAND || n.Op == token.LOR {
			f.replace("left alone", n, f.source(n.X))
			f.replace("right alone", n, f.source(n.Y))
		}
	case *ast.UnaryExpr:
		if n.Op == token.NOT {
			f.replace("drop not", n, f.source(n.X))
		}
	case *ast.BasicLit:
		if i, err := strconv.Atoi(n.Value); n.Kind == token.INT && err == nil {
			f.replace("one more", n, strconv.Itoa(i+1))
			f.replace("one less", n, strconv.Itoa(i-1))
		}
	case *ast.Ident:
		switch n.Name {
		case "true":
			f.replace("flip", n, "false")
		case "false":
			f.replace("flip", n, "true")
		}
	}
}

// returns replaces each result by the zero value, or by the opposite for a bool.
func (f *finder) returns(n *ast.ReturnStmt, results *ast.FieldList) {
	var types []ast.Expr
	if results != nil {
		for _, field := range results.List {
			for range max(len(field.Names), 1) {
				types = append(types, field.Type)
			}
		}
	}
	if len(types) != len(n.Results) {
		return
	}
	for i, e := range n.Results {
		switch kind, text := f.source(types[i]), f.source(e); {
		case text == "true" || text == "false" || text == "nil" || text == "0" || text == `""` || strings.HasSuffix(text, "{}"):
		case kind == "bool":
			f.negate(e)
		default:
			f.replace("zero result", e, fmt.Sprintf("*new(%s)", kind))
		}
	}
}

// opposite returns the operator of the most likely mistake, or ILLEGAL.
func opposite(t token.Token) token.Token {
	for _, pair := range [...][2]token.Token{
		{token.LAND, token.LOR}, {token.LSS, token.LEQ}, {token.GTR, token.GEQ}, {token.EQL, token.NEQ},
		{token.ADD, token.SUB}, {token.MUL, token.QUO}, {token.SHL, token.SHR}, {token.AND, token.OR},
		{token.INC, token.DEC}, {token.ADD_ASSIGN, token.SUB_ASSIGN}, {token.OR_ASSIGN, token.AND_ASSIGN},
		{token.BREAK, token.CONTINUE},
	} {
		switch t {
		case pair[0]:
			return pair[1]
		case pair[1]:
			return pair[0]
		}
	}
	return token.ILLEGAL
}
