package main

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/ownergraph/ownergraph/dump"
	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/internal/printing"
	"github.com/ownergraph/ownergraph/lint"
	documents "k8s.io/apimachinery/pkg/util/yaml"
	"sigs.k8s.io/yaml"
)

// maxManifests bounds one file in bytes.
const maxManifests = 64 << 20

// lintManifests judges files before a server has them. The owners are looked up in the cluster, and
// each that is missing there is read again.
//
//test:by TestLintManifests
func (a *app) lintManifests(ctx context.Context, names []string, cfg lint.Config) error {
	all := lint.Manifests{}
	for _, name := range names {
		m, err := a.readManifests(name)
		if err != nil {
			return err
		}
		all.Objects, all.Kinds = append(all.Objects, m.Objects...), append(all.Kinds, m.Kinds...)
	}
	var err error
	if all.Scope, err = a.namespace(); err != nil {
		return err
	}
	ctx, cancel, err := a.deadline(ctx)
	if err != nil {
		return err
	}
	defer cancel()
	a.everywhere = true // the owners are of each kind
	r, err := a.read(ctx, all.Scope)
	if err == nil {
		err = a.readNothing(r.in)
	}
	if err != nil {
		return err
	}
	all.Store = &r.in
	missing, err := all.MissingPlaces()
	if err != nil {
		return err
	}
	if len(missing) > maxReads {
		r.doubt(missing[maxReads:])
		missing = missing[:maxReads]
	}
	if err := r.store.Reread(ctx, &r.in, missing); err != nil {
		return caused(ctx, err)
	}
	report, err := lint.CheckManifests(all, cfg)
	if err != nil {
		return err
	}
	note := ""
	if n := all.WithoutUID(); n > 0 {
		note = fmt.Sprintf(" (owner references without a uid, judged by kind and name: %d)", n)
	}
	return a.writeReport(&lintAnswer{Report: report, Unknown: unknownOwners(all)}, note+a.unreadNote(r.in))
}

// unknownOwners returns the kinds of owners in the files that are not listed.
func unknownOwners(m lint.Manifests) unknown {
	u := unknown{Kinds: []unlistedKind{}, Facts: []string{}}
	named := map[graph.Kind]bool{}
	for i := range m.Objects {
		for _, r := range m.Objects[i].Owners {
			named[r.Kind] = true
		}
	}
	for _, k := range m.Store.Kinds {
		if !k.Listed && named[k.Kind] {
			u.Kinds = append(u.Kinds, unlistedKind{k.Kind, k.Reason})
		}
	}
	return u
}

// readManifests reads one file of JSON or YAML, or standard input for "-".
func (a *app) readManifests(name string) (lint.Manifests, error) {
	in, of := a.stdin, "standard input"
	if name != "-" {
		f, err := os.Open(name)
		if err != nil {
			return lint.Manifests{}, err
		}
		defer f.Close()
		in, of = f, name
	}
	text, err := io.ReadAll(io.LimitReader(in, maxManifests+1))
	switch {
	case err != nil:
		return lint.Manifests{}, fmt.Errorf("read %s: %w", of, err)
	case len(text) > maxManifests:
		return lint.Manifests{}, fmt.Errorf("read %s: more than %d bytes: %w", of, maxManifests, dump.ErrTooLarge)
	}
	if text, err = toJSON(text); err != nil {
		return lint.Manifests{}, fmt.Errorf("read %s: %w", of, err)
	}
	return dump.ReadManifests(bytes.NewReader(text), of)
}

// withMarkers returns YAML whose documents all begin with "---". A line "..." ends a document, and
// the decoder reads nothing behind it, so the objects there would be missing without a word.
func withMarkers(text []byte) []byte {
	text = bytes.ReplaceAll(bytes.ReplaceAll(text, []byte("\r\n"), []byte("\n")), []byte("\r"), []byte("\n"))
	lines := bytes.SplitAfter(text, []byte("\n"))
	for i, line := range lines {
		rest, is := bytes.CutPrefix(line, []byte("..."))
		if is && (len(rest) == 0 || bytes.IndexByte([]byte(" \t\n"), rest[0]) >= 0) {
			lines[i] = append([]byte("---"), rest...)
		}
	}
	return bytes.Join(lines, nil)
}

// toJSON returns documents of YAML as documents of JSON. It refuses a field that stands twice.
//
//test:by TestManifestDocuments
func toJSON(text []byte) ([]byte, error) {
	if documents.IsJSONBuffer(text) {
		return text, nil
	}
	text = withMarkers(bytes.TrimPrefix(text, []byte("\ufeff")))
	var out bytes.Buffer
	in := documents.NewYAMLReader(bufio.NewReader(bytes.NewReader(text)))
	for number := 1; ; number++ {
		one, err := in.Read()
		if errors.Is(err, io.EOF) {
			return out.Bytes(), nil
		}
		if err == nil {
			one, err = yaml.YAMLToJSONStrict(one)
		}
		if err != nil {
			return nil, fmt.Errorf("document %d: not YAML: %w", number, err)
		}
		if string(one) != "null" { // a document of comments
			out.Write(append(one, '\n'))
		}
	}
}

// checkManifestFlags returns the fault of a command line with files.
func (a *app) checkManifestFlags(names []string) error {
	stdin := 0
	for _, n := range names {
		if n == "-" {
			stdin++
		}
	}
	switch {
	case stdin > 1:
		return printing.UsageError(`"-" stands for standard input once`)
	case a.everywhere:
		return printing.UsageError("-A and -f: want one of them; -n is the namespace of objects that name none")
	}
	return nil
}
