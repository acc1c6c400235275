package cli

import (
	"bytes"
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/runtime/serializer/protobuf"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/metadata"
	"k8s.io/client-go/rest"

	"github.com/ownergraph/ownergraph/internal/printing"
)

// large is a server with many objects that sends their metadata as protobuf. The pages are
// made before.
type largeCluster struct {
	*api
	pages map[string][][]byte // by plural
}

const pageSize = 500

// newLarge returns a server with a number of objects: a tenth are Deployments, two tenths
// ReplicaSets, five Pods, and two ConfigMaps.
func newLarge(b *testing.B, n int) *largeCluster {
	l := &largeCluster{api: newAPI(), pages: map[string][][]byte{}}
	deployments, sets := n/10, n*2/10
	l.fill(b, "deployments", deployments, "", 0)
	l.fill(b, "replicasets", sets, "apps/v1 Deployment deployments", deployments)
	l.fill(b, "pods", n*5/10, "apps/v1 ReplicaSet replicasets", sets)
	l.fill(b, "configmaps", n*2/10, "", 0)
	return l
}

// fill makes the pages of a resource. Each object has an owner of another resource, labels,
// annotations and managed fields, as real ones do.
func (l *largeCluster) fill(b *testing.B, plural string, n int, owner string, owners int) {
	known := runtime.NewScheme()
	metav1.AddToGroupVersion(known, schema.GroupVersion{Version: "v1"})
	codec := protobuf.NewSerializer(known, known)
	for from := 0; from < n; from += pageSize {
		list := &metav1.PartialObjectMetadataList{TypeMeta: metav1.TypeMeta{Kind: "PartialObjectMetadataList", APIVersion: "meta.k8s.io/v1"}}
		list.ResourceVersion = "1000000"
		if from+pageSize < n {
			list.Continue = strconv.Itoa(from/pageSize + 1)
		}
		for i := from; i < min(from+pageSize, n); i++ {
			list.Items = append(list.Items, metav1.PartialObjectMetadata{ObjectMeta: largeObject(plural, i, owner, owners)})
		}
		list.SetGroupVersionKind(metav1.SchemeGroupVersion.WithKind("PartialObjectMetadataList"))
		var out bytes.Buffer
		if err := codec.Encode(list, &out); err != nil {
			b.Fatal(err)
		}
		l.pages[plural] = append(l.pages[plural], out.Bytes())
	}
}

func largeObject(plural string, i int, owner string, owners int) metav1.ObjectMeta {
	yes := true
	m := metav1.ObjectMeta{
		Name: fmt.Sprintf("%s-%06d", plural, i), Namespace: fmt.Sprintf("ns-%d", i%100), UID: types.UID(fmt.Sprintf("%s-uid-%06d-0000-0000-0000", plural, i)),
		ResourceVersion: strconv.Itoa(i + 1), CreationTimestamp: metav1.Unix(1_700_000_000, 0),
		Labels:        map[string]string{"app": "cart", "pod-template-hash": "7bf546966", "tier": "backend"},
		Annotations:   map[string]string{"kubectl.kubernetes.io/restartedAt": "2026-01-02T03:04:05Z", "note": strings.Repeat("x", 200)},
		ManagedFields: []metav1.ManagedFieldsEntry{{Manager: "kube-controller-manager", Operation: "Update", FieldsV1: metav1.NewFieldsV1(strings.Repeat(`{"f:a":{}},`, 60))}},
	}
	if owner != "" {
		f := strings.Fields(owner)
		j := ((i/100*100)%owners + i%100) % owners // in the same namespace
		m.OwnerReferences = []metav1.OwnerReference{{APIVersion: f[0], Kind: f[1], Name: fmt.Sprintf("%s-%06d", f[2], j), UID: types.UID(fmt.Sprintf("%s-uid-%06d-0000-0000-0000", f[2], j)), Controller: &yes, BlockOwnerDeletion: &yes}}
	}
	return m
}

// ServeHTTP sends a page, or answers as the small server.
func (l *largeCluster) ServeHTTP(w http.ResponseWriter, q *http.Request) {
	plural := q.URL.Path[strings.LastIndex(q.URL.Path, "/")+1:]
	pages := l.pages[plural]
	if pages == nil || q.URL.Query().Get("fieldSelector") != "" {
		l.api.ServeHTTP(w, q)
		return
	}
	n, _ := strconv.Atoi(q.URL.Query().Get("continue"))
	w.Header().Set("Content-Type", "application/vnd.kubernetes.protobuf")
	_, _ = w.Write(pages[n])
}

// lists lists all kinds as client-go's metadata client does, with as many at once as the
// command.
func (l *largeCluster) lists(b *testing.B, client metadata.Interface) {
	var all sync.WaitGroup
	slots := make(chan struct{}, 8)
	for _, r := range l.resources {
		all.Go(func() {
			slots <- struct{}{}
			defer func() { <-slots }()
			at := schema.GroupVersionResource{Group: r.group, Version: r.version, Resource: r.plural}
			for next := ""; ; {
				page, err := client.Resource(at).List(context.Background(), metav1.ListOptions{Limit: pageSize, Continue: next})
				if err != nil {
					b.Error(err)
					return
				}
				if next = page.Continue; next == "" {
					return
				}
			}
		})
	}
	all.Wait()
}

// BenchmarkLarge compares each subcommand with the lists alone, on 100,000 objects. The
// figure "x-lists" is the ratio of the two times.
func BenchmarkLarge(b *testing.B) {
	l := newLarge(b, 100_000)
	flags := serveHandler(b, l)
	server := httptest.NewServer(l)
	defer server.Close()
	client, err := metadata.NewForConfig(&rest.Config{Host: server.URL, QPS: -1})
	if err != nil {
		b.Fatal(err)
	}
	for _, args := range [][]string{{"explain", "deploy/deployments-000042", "-n", "ns-42"}, {"tree", "deploy/deployments-000042", "-n", "ns-42"}, {"plan", "deploy/deployments-000042", "-n", "ns-42"}, {"lint", "-A"}, {"top", "-A"}} {
		b.Run(args[0], func(b *testing.B) {
			var lists, whole time.Duration
			for b.Loop() {
				began := time.Now()
				l.lists(b, client)
				lists += time.Since(began)
				began = time.Now()
				if got := callPlugin(b, append(args, flags...)...); got.code != printing.ExitDone {
					b.Fatalf("exit %d: %s%s", got.code, got.stdout, got.stderr)
				}
				whole += time.Since(began)
			}
			b.ReportMetric(float64(lists.Milliseconds())/float64(b.N), "ms-lists")
			b.ReportMetric(float64(whole.Milliseconds())/float64(b.N), "ms-command")
			b.ReportMetric(float64(whole)/float64(lists), "x-lists")
		})
	}
}
