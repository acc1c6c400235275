package cli

import (
	"bytes"
	"encoding/json"
	"fmt"

	"go.yaml.in/yaml/v3"
)

// writeNode writes a node as JSON.
func (y *yamlReader) writeNode(n *yaml.Node) error {
	out := &y.pending
	switch n.Kind {
	case yaml.MappingNode:
		return y.writeMapping(n)
	case yaml.SequenceNode:
		out.WriteByte('[')
		for i, item := range n.Content {
			if i > 0 {
				out.WriteByte(',')
			}
			if err := y.writeNode(item); err != nil {
				return err
			}
		}
		out.WriteByte(']')
		return nil
	case yaml.ScalarNode:
		return writeScalar(&y.pending, n)
	case yaml.AliasNode:
		return y.fail(n, "an alias: kubectl prints none")
	}
	return y.fail(n, "not a value")
}

func (y *yamlReader) writeMapping(n *yaml.Node) error {
	y.pending.WriteByte('{')
	if err := y.writeFields(n, make(map[string]bool, len(n.Content)/2)); err != nil {
		return err
	}
	y.pending.WriteByte('}')
	return nil
}

// writeFields writes the fields of a mapping. Seen has the fields that stand before them.
func (y *yamlReader) writeFields(n *yaml.Node, seen map[string]bool) error {
	for i := 0; i < len(n.Content); i += 2 {
		key := n.Content[i]
		switch {
		case key.Kind != yaml.ScalarNode:
			return y.fail(key, "a key that is no text")
		case key.ShortTag() == "!!merge":
			return y.fail(key, "a merge key: kubectl prints none")
		case seen[key.Value]:
			return y.fail(key, fmt.Sprintf("%.100q: given twice", key.Value))
		}
		if len(seen) > 0 {
			y.pending.WriteByte(',')
		}
		seen[key.Value] = true
		if err := writeString(&y.pending, key.Value); err != nil {
			return err
		}
		y.pending.WriteByte(':')
		if err := y.writeNode(n.Content[i+1]); err != nil {
			return err
		}
	}
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
			return err
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

// fail returns an error with the line of a node.
func (y *yamlReader) fail(n *yaml.Node, cause string) error {
	return fmt.Errorf("line %d: %s", y.first+n.Line, cause)
}
