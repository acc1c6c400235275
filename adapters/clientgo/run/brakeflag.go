package run

import (
	"fmt"
	"strconv"
	"strings"
)

// defaultBrake is the default of Engine.Brake.PerCascade for a program that acts.
const defaultBrake = 1000

// brakeFlag reads the most objects of one cascade. 0 turns the brake off.
type brakeFlag struct{ *Config }

// String returns the number.
func (b brakeFlag) String() string {
	switch {
	case b.Config == nil:
		return ""
	case b.NoBrake:
		return "0"
	case b.Engine.Brake.PerCascade == 0:
		return strconv.Itoa(defaultBrake)
	}
	return strconv.Itoa(b.Engine.Brake.PerCascade)
}

// Set sets the number.
func (b brakeFlag) Set(text string) error {
	n, err := strconv.Atoi(text)
	if err != nil || n < 0 {
		return fmt.Errorf("%q is no number of objects: write 0 for no brake", text)
	}
	b.NoBrake, b.Engine.Brake.PerCascade = n == 0, n
	return nil
}

// recordFlag reads "namespace/name" of a ConfigMap.
type recordFlag struct{ *Config }

// String returns the namespace and the name, or "" without a record.
func (r recordFlag) String() string {
	if r.Config == nil || r.Engine.Record == "" {
		return ""
	}
	return r.recordNamespace() + "/" + r.recordName()
}

// Set sets the record. The empty text removes it.
func (r recordFlag) Set(text string) error {
	namespace, name, _ := strings.Cut(text, "/")
	record, ok := strings.CutPrefix(name, r.recordPrefix())
	if text != "" && (namespace == "" || !ok || record == "" || strings.Contains(record, "/")) {
		return fmt.Errorf("%q is not of the form namespace/%sname", text, r.recordPrefix())
	}
	r.Store.RecordNamespace, r.Engine.Record = namespace, record
	return nil
}

// recordNamespace returns the namespace of the ConfigMap that has the record.
func (c *Config) recordNamespace() string {
	if c.Store.RecordNamespace == "" {
		return "kube-system"
	}
	return c.Store.RecordNamespace
}

func (c *Config) recordPrefix() string {
	if c.Store.RecordPrefix == "" {
		return "ownergraph-"
	}
	return c.Store.RecordPrefix
}

func (c *Config) recordName() string { return c.recordPrefix() + c.Engine.Record }
