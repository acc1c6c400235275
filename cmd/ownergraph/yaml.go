package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"go.yaml.in/yaml/v3"
)

// maxYAML bounds an input of YAML, in bytes. Its tree takes about fifteen times of that in
// memory. JSON of any length takes the memory of one object.
const maxYAML = 64 << 20

// isJSON reports whether the input begins as JSON does. Kubectl prints objects only.
func isJSON(head []byte) bool {
	head = bytes.TrimLeft(head, " \t\r\n\ufeff")
	return len(head) == 0 || head[0] == '{' || head[0] == '['
}

// yamlReader reads documents of YAML, and returns them as documents of JSON. It holds one
// document at a time.
//
// Aliases are refused. Kubectl prints none, and a small input of aliases stands for one of
// any size.
//
// Held by TestYAML, TestYAMLErrors and FuzzYAML.
type yamlReader struct {
	from    *yaml.Decoder
	pending bytes.Buffer
	err     error
}

func newYAMLReader(r io.Reader) *yamlReader {
	return &yamlReader{from: yaml.NewDecoder(&capped{from: r, left: maxYAML})}
}

// Read returns the next part of the JSON.
func (y *yamlReader) Read(p []byte) (int, error) {
	for y.pending.Len() == 0 {
		if y.err == nil {
			y.err = y.next()
		}
		if y.err != nil {
			return 0, y.err
		}
	}
	return y.pending.Read(p)
}

// next converts one document. An empty document has no text.
func (y *yamlReader) next() error {
	var node yaml.Node
	if err := y.from.Decode(&node); err != nil {
		if errors.Is(err, io.EOF) || errors.Is(err, errTooMuchYAML) {
			return err
		}
		return fmt.Errorf("not YAML: %w", err)
	}
	if len(node.Content) == 0 || node.Content[0].ShortTag() == "!!null" {
		return nil
	}
	return writeNode(&y.pending, node.Content[0])
}

// writeNode writes a node as JSON.
func writeNode(out *bytes.Buffer, n *yaml.Node) error {
	switch n.Kind {
	case yaml.MappingNode:
		return writeMapping(out, n)
	case yaml.SequenceNode:
		out.WriteByte('[')
		for i, item := range n.Content {
			if i > 0 {
				out.WriteByte(',')
			}
			if err := writeNode(out, item); err != nil {
				return err
			}
		}
		out.WriteByte(']')
		return nil
	case yaml.ScalarNode:
		return writeScalar(out, n)
	case yaml.AliasNode:
		return fmt.Errorf("line %d: an alias: kubectl prints none", n.Line)
	}
	return fmt.Errorf("line %d: not a value", n.Line)
}

func writeMapping(out *bytes.Buffer, n *yaml.Node) error {
	seen := make(map[string]bool, len(n.Content)/2)
	out.WriteByte('{')
	for i := 0; i < len(n.Content); i += 2 {
		key := n.Content[i]
		switch {
		case key.Kind != yaml.ScalarNode:
			return fmt.Errorf("line %d: a key that is no text", key.Line)
		case key.ShortTag() == "!!merge":
			return fmt.Errorf("line %d: a merge key: kubectl prints none", key.Line)
		case seen[key.Value]:
			return fmt.Errorf("line %d: %.100q: given twice", key.Line, key.Value)
		}
		seen[key.Value] = true
		if i > 0 {
			out.WriteByte(',')
		}
		if err := writeString(out, key.Value); err != nil {
			return err
		}
		out.WriteByte(':')
		if err := writeNode(out, n.Content[i+1]); err != nil {
			return err
		}
	}
	out.WriteByte('}')
	return nil
}

// writeScalar writes numbers, booleans and null as they are, and all else as text.
func writeScalar(out *bytes.Buffer, n *yaml.Node) error {
	var value any
	switch n.ShortTag() {
	case "!!null":
		out.WriteString("null")
		return nil
	case "!!bool", "!!int", "!!float":
		if err := n.Decode(&value); err != nil {
			return fmt.Errorf("line %d: %w", n.Line, err)
		}
		if text, err := json.Marshal(value); err == nil {
			out.Write(text)
			return nil
		} // an infinite number is no JSON
	}
	return writeString(out, n.Value)
}

func writeString(out *bytes.Buffer, s string) error {
	text, err := json.Marshal(s)
	out.Write(text)
	return err
}

var errTooMuchYAML = errors.New("more than 64 MiB of YAML: use JSON, which needs less memory")

// capped returns an error at its limit, and not the end of the input.
type capped struct {
	from io.Reader
	left int
}

func (c *capped) Read(p []byte) (int, error) {
	if c.left == 0 {
		return 0, errTooMuchYAML
	}
	n, err := c.from.Read(p[:min(len(p), c.left)])
	c.left -= n
	return n, err
}
