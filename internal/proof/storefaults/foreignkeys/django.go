package main

import (
	"fmt"
	"strconv"
	"strings"
)

// onDelete is the on_delete of a foreign key in Django.
type onDelete uint8

const (
	onDeleteUnset onDelete = iota
	djangoCascade
	djangoSetNull
	djangoProtect
	djangoRestrict
	// djangoNothing is DO_NOTHING with the constraint that Django makes by default.
	djangoNothing
	// djangoUnchecked is DO_NOTHING with db_constraint=False. The reference may dangle.
	djangoUnchecked
)

var onDeleteNames = [...]string{"unset", "CASCADE", "SET_NULL", "PROTECT", "RESTRICT", "DO_NOTHING", "DO_NOTHING_UNCHECKED"}

// String returns the value as Django has it.
func (d onDelete) String() string {
	if int(d) < len(onDeleteNames) {
		return onDeleteNames[d]
	}
	return fmt.Sprintf("onDelete(%d)", uint8(d))
}

// actions are those of the policies that stand for an on_delete. Django judges DO_NOTHING with a constraint at
// the commit. A reference without a constraint is none in our stores.
var actions = [...]action{djangoCascade: cascade, djangoSetNull: setNull, djangoProtect: noAction, djangoRestrict: noAction, djangoNothing: noAction, djangoUnchecked: actionUnset}

// row is a row of a model.
type row struct {
	model  string
	number int
}

// String writes the row as "b1".
func (r row) String() string { return fmt.Sprintf("%s%d", r.model, r.number) }

// world has rows of Django's models with their references, by the index of the row. The first row is the root.
type world struct {
	rows []row
	refs [maxTables][maxTables]onDelete
}

// schema has each row as the only row of a table.
func (w *world) schema() schema {
	s := schema{tables: len(w.rows)}
	for from := range w.rows {
		for to := range w.rows {
			s.keys[from][to] = actions[w.refs[from][to]]
		}
	}
	return s
}

// has reports whether a reference of the world has the on_delete.
func (w *world) has(d onDelete) bool {
	for from := range w.rows {
		for to := range w.rows {
			if w.refs[from][to] == d {
				return true
			}
		}
	}
	return false
}

// String writes the rows in the notation of package graph, with the on_delete of each reference:
// "a1; b1 -> a1 CASCADE, c1 SET_NULL".
func (w *world) String() string {
	var list []string
	for from, r := range w.rows {
		var refs []string
		for to, d := range w.refs[from][:len(w.rows)] {
			if d != onDeleteUnset {
				refs = append(refs, fmt.Sprintf("%s %s", w.rows[to], d))
			}
		}
		text := r.String()
		if len(refs) > 0 {
			text += " -> " + strings.Join(refs, ", ")
		}
		list = append(list, text)
	}
	return strings.Join(list, "; ")
}

// classOf returns the first class of a world. It reads no result.
func (w *world) classOf(guarded bool) class {
	s := w.schema()
	in := s.ends()
	for from := range w.rows {
		for to := range w.rows {
			if w.refs[from][to] == djangoProtect && in[from] && in[to] {
				return ownProtect
			}
		}
	}
	return s.classOf(guarded)
}

// judge compares a sound outcome with Django's end.
func (w *world) judge(got outcome, want end, guarded bool) error {
	s, c := w.schema(), w.classOf(guarded)
	if c == ownProtect && !want.refused {
		return fmt.Errorf("class %s: Django has %s, want a refusal", c, want)
	}
	if got.real != want && c != ownProtect && !s.permits(c, guarded, got.real) {
		return fmt.Errorf("class %s: got %s, Django has %s", c, got.real, want)
	}
	return nil
}

// parseWorld reads the notation of String. All references between two models have one on_delete, because it
// is that of a key.
func parseWorld(text string) (w world, err error) {
	parts := strings.Split(text, ";")
	if len(parts) > maxTables {
		return w, fmt.Errorf("read world %q: %d rows, and the bound is %d", text, len(parts), maxTables)
	}
	index := map[string]int{}
	for _, part := range parts {
		name, _, _ := strings.Cut(strings.TrimSpace(part), " ")
		r, err := parseRow(name)
		if _, twice := index[name]; twice && err == nil {
			err = fmt.Errorf("row %s: twice", name)
		}
		if err != nil {
			return w, fmt.Errorf("read world %q: %w", text, err)
		}
		index[name] = len(w.rows)
		w.rows = append(w.rows, r)
	}
	for from, part := range parts {
		_, refs, has := strings.Cut(part, " -> ")
		for ref := range strings.SplitSeq(refs, ",") {
			if !has {
				break
			}
			if err := w.addReference(from, strings.Fields(ref), index); err != nil {
				return w, fmt.Errorf("read world %q: row %s: reference %q: %w", text, w.rows[from], ref, err)
			}
		}
	}
	_, err = w.models()
	return w, err
}

func parseRow(name string) (r row, err error) {
	r.model = strings.TrimRight(name, "0123456789")
	if len(r.model) != 1 || r.model[0] < 'a' || r.model[0] > 'z' {
		return r, fmt.Errorf("row %q: want a letter of a to z and a number", name)
	}
	if r.number, err = strconv.Atoi(name[1:]); err != nil {
		err = fmt.Errorf("row %q: number: %w", name, err)
	}
	return r, err
}

// addReference adds the reference of the words "a1 CASCADE".
func (w *world) addReference(from int, words []string, index map[string]int) error {
	if len(words) != 2 {
		return fmt.Errorf("%d words, want a row and an on_delete", len(words))
	}
	to, known := index[words[0]]
	if !known || to == from {
		return fmt.Errorf("want another row of the world")
	}
	for d, name := range onDeleteNames {
		if d > 0 && name == words[1] && w.refs[from][to] == onDeleteUnset {
			w.refs[from][to] = onDelete(d)
			return nil
		}
	}
	return fmt.Errorf("on_delete: want one of %v, once for each row", onDeleteNames[1:])
}

// models returns the keys by model and the model to which they refer. A row has one value for each key.
func (w *world) models() (map[string]map[string]string, error) {
	keys := map[string]map[string]string{}
	for _, r := range w.rows {
		keys[r.model] = map[string]string{}
	}
	for from, r := range w.rows {
		used := map[string]bool{}
		for to, d := range w.refs[from][:len(w.rows)] {
			if d == onDeleteUnset {
				continue
			}
			of := w.rows[to].model
			if has := keys[r.model][of]; has != "" && has != d.String() {
				return nil, fmt.Errorf("read world %q: key from %s to %s: both %s and %s", w, r.model, of, has, d)
			}
			if used[of] {
				return nil, fmt.Errorf("read world %q: row %s: two references by its key to %s", w, r, of)
			}
			keys[r.model][of], used[of] = d.String(), true
		}
	}
	return keys, nil
}
