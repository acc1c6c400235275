package clientgo

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"unicode"
	"unicode/utf8"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"

	"github.com/ownergraph/ownergraph/graph"
)

// A record is a ConfigMap. Its version is the resourceVersion.
const (
	valueKey = "value" // in data, or in binaryData if the value is no text
	writeKey = "write" // random, so that a write of the same value makes another version
)

// configMap is the part of a ConfigMap that has a record.
type configMap struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata"`
	Data              map[string]*string `json:"data"`
	BinaryData        map[string][]byte  `json:"binaryData"`
}

func configMapsAt() schema.GroupVersionResource {
	return schema.GroupVersionResource{Version: "v1", Resource: "configmaps"}
}

// errNoRecord says that a ConfigMap has the name of a record, and has none.
var errNoRecord = errors.New("the ConfigMap has no value")

// ReadRecord returns the record of the name (ownergraph.Records). It is a consistent read of a
// ConfigMap: see Config.RecordNamespace. A ConfigMap without a value is an error, and no proof
// of absence. Errors: ErrNotFound, ErrInvalid, and ErrRefused without the right to get.
//
//test:by TestConformance TestRecordErrors
func (s *Store) ReadRecord(ctx context.Context, name string) (graph.Record, error) {
	const verb = "read record"
	if err := graph.ValidateRecord(name, nil); err != nil {
		return graph.Record{}, fmt.Errorf("read %w", err)
	}
	if err := ctx.Err(); err != nil {
		return graph.Record{}, err
	}
	key := s.recordKey(name)
	result := s.client.rest.Get().MaxRetries(0).AbsPath(segments(configMapsAt(), key.Scope, key.Name)...).
		SetHeader("Accept", runtime.ContentTypeJSON).Do(s.client.logContext(ctx))
	if err := result.Error(); err != nil {
		return graph.Record{}, recordError(ctx, verb, key, err)
	}
	var m configMap
	raw, err := result.Raw()
	if err == nil {
		err = json.Unmarshal(raw, &m)
	}
	if err == nil && !isRecord(&m.ObjectMeta, key) {
		err = errNoMetadata
	}
	if err != nil {
		return graph.Record{}, fmt.Errorf("%s %s: %w", verb, key, err)
	}
	r := graph.Record{Version: graph.Version(m.ResourceVersion)}
	if value, ok := m.BinaryData[valueKey]; ok {
		r.Value = value
		return r, nil
	}
	value := m.Data[valueKey]
	if value == nil {
		return graph.Record{}, fmt.Errorf("%s %s: %w", verb, key, errNoRecord)
	}
	r.Value = []byte(*value)
	return r, nil
}

// WriteRecord stores the value under the name, if the record has the version
// (ownergraph.Records). It creates the ConfigMap, or patches it under its resourceVersion, in
// one request. Labels and annotations of others stay. Errors: ErrConflict, ErrInvalid, and
// ErrRefused without the right to create or to patch, and without the namespace.
//
//test:by TestConformance TestRecordErrors TestRecordLayout
func (s *Store) WriteRecord(ctx context.Context, name string, value []byte, version graph.Version) (graph.Version, error) {
	const verb = "write record"
	if err := graph.ValidateRecord(name, value); err != nil {
		return "", fmt.Errorf("write %w", err)
	}
	if err := ctx.Err(); err != nil {
		return "", err
	}
	key := s.recordKey(name)
	if version != "" && strings.Trim(string(version), "0") == "" { // the server takes it for no condition
		return "", fmt.Errorf("%s %s: version: zero: %w", verb, key, graph.ErrConflict)
	}
	body, err := json.Marshal(recordBody(key, value, version))
	if err != nil {
		return "", fmt.Errorf("%s %s: %w", verb, key, err)
	}
	m, err := s.client.sendRecord(ctx, key, body, version == "")
	if err != nil {
		if isLossSign(err) {
			s.losses.addSign()
		}
		return "", recordError(ctx, verb, key, err)
	}
	if !isRecord(&m.ObjectMeta, key) {
		return "", fmt.Errorf("%s %s: %w", verb, key, errNoMetadata)
	}
	return graph.Version(m.ResourceVersion), nil
}

func (s *Store) recordKey(name string) graph.Key {
	return graph.Key{Kind: "ConfigMap", Scope: s.config.RecordNamespace, Name: s.config.RecordPrefix + name}
}

func isRecord(m *metav1.ObjectMeta, key graph.Key) bool {
	return m.Name == key.Name && m.Namespace == key.Scope && m.ResourceVersion != ""
}

// sendRecord creates a ConfigMap, or patches it.
func (c *client) sendRecord(ctx context.Context, key graph.Key, body []byte, create bool) (*metav1.PartialObjectMetadata, error) {
	out := &metav1.PartialObjectMetadata{}
	r := c.rest.Patch(types.MergePatchType).AbsPath(segments(configMapsAt(), key.Scope, key.Name)...)
	if create {
		r = c.rest.Post().AbsPath(segments(configMapsAt(), key.Scope, "")...).SetHeader("Content-Type", runtime.ContentTypeJSON)
	}
	err := decode(r.MaxRetries(0).SetHeader("Accept", acceptObject).Body(body).Do(c.logContext(ctx)), out)
	return out, err
}

// recordBody returns a ConfigMap, or a merge patch of one. A patch takes the value out of the
// other map, because a ConfigMap may not have one key in both.
func recordBody(key graph.Key, value []byte, version graph.Version) map[string]any {
	metadata, data, binary := map[string]any{}, map[string]any{writeKey: rand.Text()}, map[string]any{}
	if version != "" {
		metadata["resourceVersion"] = string(version)
		data[valueKey], binary[valueKey] = nil, nil
	} else {
		metadata["namespace"], metadata["name"] = key.Scope, key.Name
	}
	if isText(value) {
		data[valueKey] = string(value)
	} else {
		binary[valueKey] = value
	}
	body := map[string]any{"metadata": metadata, "data": data, "binaryData": binary}
	if version == "" {
		body["apiVersion"], body["kind"] = "v1", "ConfigMap"
	}
	return body
}

// isText reports whether people can read the value in a manifest.
func isText(value []byte) bool {
	control := func(r rune) bool { return unicode.IsControl(r) && r != '\n' && r != '\t' }
	return utf8.Valid(value) && strings.IndexFunc(string(value), control) < 0
}

// recordError returns the meaning of a server's error for a record, as storeError does for an
// object. A 404 of a write is no proof of absence: the record has gone since (ErrConflict), or
// there is no namespace for it (ErrRefused). A 404 that names neither says nothing.
func recordError(ctx context.Context, verb string, key graph.Key, err error) error {
	if cause := ctx.Err(); cause != nil {
		return cause
	}
	write := verb != "read record"
	is := sentinelOf(err, configMapsAt().Resource, key.Name)
	switch {
	case is == graph.ErrKindUnknown && write && lacksNamespace(err, key.Scope):
		is = graph.ErrRefused
	case is == graph.ErrKindUnknown, is == graph.ErrConflict && !write:
		is = nil
	case is == graph.ErrNotFound && write:
		is = graph.ErrConflict
	}
	if is != nil {
		return fmt.Errorf("%s %s: %w: %w", verb, key, is, withText(err))
	}
	return withDelay(fmt.Errorf("%s %s: %w", verb, key, withText(err)))
}

// lacksNamespace reports whether a 404 names the namespace.
func lacksNamespace(err error, namespace string) bool {
	var status apierrors.APIStatus
	if !errors.As(err, &status) {
		return false
	}
	s := status.Status()
	return s.Code == http.StatusNotFound && namesObject(s, "namespaces", namespace)
}
