package dump

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"
)

// decoder reads JSON documents token by token, so a list of any length needs the memory
// of one item. It uses a stack in place of recursion.
type decoder struct {
	json      *json.Decoder
	inventory *inventory
	fields    *fields
	number    int // of the document, from 1
	stack     []frame
	unread    json.RawMessage // a skipped value

	manifest func(*record) // takes each object in place of the inventory, or nil
}

// frame is a JSON object that the decoder reads: a list, or an object of the cluster.
type frame struct {
	record
	seen    []string // known fields that were read
	isList  bool     // has items
	inItems bool
	item    int // the index of the current item
}

func newDecoder(r io.Reader, limit int64) *decoder {
	d := &decoder{
		json:      json.NewDecoder(unmarked(&limitedReader{from: r, left: limit, limit: limit})),
		inventory: newInventory(),
		fields:    newFields(),
		number:    1,
	}
	d.json.UseNumber() // any number is a token, also beyond the range of a float
	return d
}

// documents reads all documents of an input.
func (d *decoder) documents(name string) error {
	for {
		switch err := d.document(); {
		case err == io.EOF:
			return nil
		case err != nil:
			return fmt.Errorf("read %s: %w", name, d.locate(err))
		}
		d.number++
	}
}

// document reads one document. It returns io.EOF at the end of the input.
func (d *decoder) document() error {
	token, err := d.json.Token()
	if err != nil {
		if err == io.EOF {
			return err
		}
		return explain("", err)
	}
	if token != json.Delim('{') {
		return fmt.Errorf("want an object or a List, have %s", nameToken(token))
	}
	d.stack = append(d.stack[:0], frame{})
	for len(d.stack) > 0 {
		if err := d.step(&d.stack[len(d.stack)-1]); err != nil {
			return err
		}
	}
	return nil
}

// step reads one field, or begins or ends one item. It may end the frame.
func (d *decoder) step(f *frame) error {
	if f.inItems {
		return d.nextItem(f)
	}
	token, err := d.json.Token()
	if err != nil {
		return explain("", err)
	}
	key, isKey := token.(string)
	if !isKey {
		return d.end(f)
	}
	if _, ours := f.slot(key); !ours && key != "items" && key != "status" && key != "spec" {
		return d.decode(key, &d.unread)
	}
	if slices.Contains(f.seen, key) {
		return fmt.Errorf("%s: given twice", key)
	}
	f.seen = append(f.seen, key)
	return d.field(f, key)
}

func (d *decoder) field(f *frame, key string) error {
	switch key {
	case "items":
		return d.openItems(f)
	case "spec", "status":
		return d.payload(f, key)
	}
	slot, _ := f.slot(key)
	if key != "metadata" {
		return d.decode(key, slot)
	}
	if err := d.decode(key, &d.unread); err != nil {
		return err
	}
	if err := json.Unmarshal(d.unread, slot); err != nil {
		return explain(key, err)
	}
	return d.fields.check(d.unread)
}

// payload reads the spec or the status. It keeps those of a container, and of an object whose kind
// comes later.
func (d *decoder) payload(f *frame, key string) error {
	if err := d.decode(key, &d.unread); err != nil {
		return err
	}
	if key == "status" {
		f.observed = observedGeneration(d.unread)
	}
	if f.kind != "" && f.kind != string(namespaceKind) && f.kind != "CustomResourceDefinition" {
		return nil
	}
	if key == "spec" {
		f.spec = bytes.Clone(d.unread)
	} else {
		f.status = bytes.Clone(d.unread)
	}
	return nil
}

func (d *decoder) decode(key string, target any) error {
	if err := d.json.Decode(target); err != nil {
		return explain(key, err)
	}
	return nil
}

// openItems begins a list. An object of another kind may have its own field items. If
// that field comes before the kind, end reports it.
func (d *decoder) openItems(f *frame) error {
	if f.kind != "" && !strings.HasSuffix(f.kind, "List") {
		return d.decode("items", &d.unread)
	}
	token, err := d.json.Token()
	switch {
	case err != nil:
		return explain("items", err)
	case token == nil:
		f.isList = true
	case token == json.Delim('['):
		f.isList, f.inItems, f.item = true, true, -1
	default:
		return fmt.Errorf("items: want an array, have %s", nameToken(token))
	}
	return nil
}

func (d *decoder) nextItem(f *frame) error {
	if d.json.More() {
		f.item++
	}
	token, err := d.json.Token()
	switch {
	case err != nil:
		return explain("", err)
	case token == json.Delim(']'):
		f.inItems = false
		return nil
	case token != json.Delim('{'):
		return fmt.Errorf("want an object, have %s", nameToken(token))
	case len(d.stack) > maxLists:
		return fmt.Errorf("more than %d lists in each other", maxLists)
	}
	d.stack = append(d.stack, frame{record: f.itemDefaults()})
	return nil
}

func (d *decoder) end(f *frame) (err error) {
	switch {
	case f.isList:
		err = f.checkList()
	case d.manifest != nil:
		d.manifest(&f.record)
	default:
		err = d.inventory.take(&f.record)
	}
	if err != nil {
		return err
	}
	d.stack = d.stack[:len(d.stack)-1]
	return nil
}

// take adds an object of the cluster with its facts.
func (s *inventory) take(r *record) error {
	o, err := r.object()
	if err != nil {
		return err
	}
	conditions, err := r.namespace(&o)
	if err != nil {
		return err
	}
	defined, err := r.definition(&o)
	if err != nil {
		return err
	}
	if err := s.add(o); err != nil {
		return err
	}
	if defined != "" {
		s.definitions[defined] = o.Name
	}
	if len(conditions) > 0 {
		s.conditions[o.Key] = conditions
	}
	s.addMark(o.Key, &r.meta)
	return nil
}
