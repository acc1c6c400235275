package cli

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"

	"go.yaml.in/yaml/v3"
)

// maxYAML bounds one object of YAML, in bytes. The tree of an object takes about 25 times of
// that in memory.
const maxYAML = 16 << 20

var errTooMuchYAML = errors.New("more than 16 MiB of YAML in one object: use JSON, or the layout of kubectl")

// isJSON reports whether the input begins as JSON does. Kubectl prints objects only.
func isJSON(head []byte) bool {
	head = bytes.TrimLeft(head, " \t\r\n\ufeff")
	return len(head) == 0 || head[0] == '{' || head[0] == '['
}

// yamlReader reads documents of YAML, and returns them as documents of JSON. It reads one
// document at a time, or one item of a list in the layout of kubectl: the field items begins
// a line, and so does each item. Everything inside of an item is indented.
//
// Aliases are refused. Kubectl prints none, and a small input of aliases stands for one of
// any size.
//
//test:by TestYAML TestYAMLErrors FuzzYAML
type yamlReader struct {
	from    *bufio.Reader
	pending bytes.Buffer // JSON
	err     error

	chunk       []byte // YAML: a document, an item, or the fields around the items
	first, line int    // the lines before the chunk, and before the next line
	part        part
	seen        map[string]bool // the fields of a list
	items       int
}

// part is the part of a document that the chunk is in.
type part uint8

const (
	inDocument part = iota // or its beginning
	inItems
	inTail // the fields behind the items
)

func newYAMLReader(r io.Reader) *yamlReader {
	return &yamlReader{from: bufio.NewReader(&lineEnds{from: r})}
}

// Read returns the next part of the JSON.
func (y *yamlReader) Read(p []byte) (int, error) {
	for y.pending.Len() == 0 {
		if y.err != nil {
			return 0, y.err
		}
		y.err = y.step()
	}
	return y.pending.Read(p)
}

// step takes one line. It returns io.EOF at the end of the input.
func (y *yamlReader) step() error {
	line, err := y.readLine()
	if err != nil && err != io.EOF {
		return err
	}
	if wrong := y.take(line); wrong != nil {
		return wrong
	}
	y.line++
	if err == io.EOF {
		if wrong := y.endDocument(); wrong != nil {
			return wrong
		}
	}
	return err
}

// readLine reads a line with its end.
func (y *yamlReader) readLine() (line []byte, err error) {
	for {
		piece, err := y.from.ReadSlice('\n')
		line = append(line, piece...)
		if len(line) > maxYAML {
			return nil, errTooMuchYAML
		}
		if err != bufio.ErrBufferFull {
			return line, err
		}
	}
}

// take puts a line to its part of the document.
func (y *yamlReader) take(line []byte) error {
	text := string(bytes.TrimRight(line, " \t\r\n"))
	switch {
	case isMarker(text, "---"):
		if err := y.endDocument(); err != nil {
			return err
		}
		return y.keep(append([]byte("   "), bytes.TrimLeft(line[3:], " \t")...))
	case isMarker(text, "..."):
		if rest := strings.TrimLeft(text[3:], " \t"); rest != "" && rest[0] != '#' {
			return fmt.Errorf("line %d: text behind the end of a document", y.line+1)
		}
		return y.endDocument()
	case len(line) > 0 && line[0] == '%' && y.part == inDocument && len(y.chunk) == 0: // a directive
		return nil
	case y.part == inDocument && text == "items:" && y.listFollows():
		return y.beginItems()
	case y.part == inItems && (text == "-" || strings.HasPrefix(text, "- ")):
		if err := y.endItem(); err != nil {
			return err
		}
		return y.keep(append([]byte(" "), line[1:]...))
	case y.part == inItems && text != "" && !strings.ContainsAny(text[:1], " \t#"):
		return errors.Join(y.endItems(), y.keep(line))
	}
	return y.keep(line)
}

// isMarker reports whether a line begins or ends a document. A comment may follow the marker.
func isMarker(text, marker string) bool {
	rest, is := strings.CutPrefix(text, marker)
	return is && (rest == "" || rest[0] == ' ' || rest[0] == '\t')
}

// keep adds a line to the chunk.
func (y *yamlReader) keep(line []byte) error {
	if len(y.chunk) == 0 {
		y.first = y.line
	}
	if y.chunk = append(y.chunk, line...); len(y.chunk) > maxYAML {
		return errTooMuchYAML
	}
	return nil
}

// listFollows reports whether the next line begins an item.
func (y *yamlReader) listFollows() bool {
	next, _ := y.from.Peek(2)
	return string(next) == "- "
}

// parse returns the value of the chunk, or nil for an empty one. A chunk with a second document is
// an error, because its objects would be missing without a word.
func (y *yamlReader) parse() (*yaml.Node, error) {
	var node, second yaml.Node
	chunk := yaml.NewDecoder(bytes.NewReader(y.chunk))
	err := chunk.Decode(&node)
	if err == nil {
		if err = chunk.Decode(&second); err == nil {
			err = fmt.Errorf("line %d: a second document without a line \"---\" before it", second.Line)
		}
	}
	y.chunk = y.chunk[:0]
	switch {
	case err != nil && err != io.EOF:
		return nil, fmt.Errorf("not YAML, from line %d on: %w", y.first+1, err)
	case len(node.Content) == 0:
		return nil, nil
	}
	return node.Content[0], nil
}

// beginItems writes the fields before the items.
func (y *yamlReader) beginItems() error {
	y.part, y.seen, y.items = inItems, map[string]bool{}, 0
	y.pending.WriteByte('{')
	if err := y.writeChunkFields(); err != nil {
		return err
	}
	if y.seen["items"] {
		return fmt.Errorf("line %d: \"items\": given twice", y.line+1)
	}
	if len(y.seen) > 0 {
		y.pending.WriteByte(',')
	}
	y.seen["items"] = true
	y.pending.WriteString(`"items":[`)
	return nil
}

func (y *yamlReader) endItem() error {
	node, err := y.parse()
	switch {
	case err != nil:
		return err
	case node == nil && y.items == 0: // the lines before the first item
		y.items++
		return nil
	case y.items > 1:
		y.pending.WriteByte(',')
	}
	y.items++
	if node == nil {
		y.pending.WriteString("null")
		return nil
	}
	return y.writeNode(node)
}

func (y *yamlReader) endItems() error {
	err := y.endItem()
	y.part = inTail
	y.pending.WriteByte(']')
	return err
}

// endDocument writes the rest of a document, if there is one.
func (y *yamlReader) endDocument() error {
	was := y.part
	if was == inItems {
		if err := y.endItems(); err != nil {
			return err
		}
	}
	y.part = inDocument
	if was != inDocument {
		err := y.writeChunkFields()
		y.pending.WriteString("}\n")
		return err
	}
	node, err := y.parse()
	if err != nil || node == nil || node.ShortTag() == "!!null" {
		return err
	}
	y.pending.WriteByte('\n')
	return y.writeNode(node)
}

// writeChunkFields writes the chunk as fields of a list.
func (y *yamlReader) writeChunkFields() error {
	node, err := y.parse()
	switch {
	case err != nil || node == nil:
		return err
	case node.Kind != yaml.MappingNode:
		return y.fail(node, "want fields")
	}
	return y.writeFields(node, y.seen)
}
