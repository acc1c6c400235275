package clientgo_test

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/rest"

	"github.com/ownergraph/ownergraph/adapters/clientgo"
	"github.com/ownergraph/ownergraph/graph"
)

// The store converts the references of a Pod by the rules of scopes.
func ExampleStore_ObjectOf() {
	server := httptest.NewServer(http.HandlerFunc(discovery))
	defer server.Close()
	store, err := clientgo.New(&rest.Config{Host: server.URL}, clientgo.Config{})
	if err != nil {
		panic(err)
	}
	pod := &metav1.ObjectMeta{Namespace: "shop", Name: "web", UID: "1", ResourceVersion: "7", OwnerReferences: []metav1.OwnerReference{
		{APIVersion: "v1", Kind: "Pod", Name: "parent", UID: "2"},
		{APIVersion: "v1", Kind: "Node", Name: "one", UID: "3"},
		{APIVersion: "shop.example/v1", Kind: "Cart", Name: "full", UID: "4"},
	}}
	object, err := store.ObjectOf(context.Background(), schema.GroupVersionKind{Version: "v1", Kind: "Pod"}, pod)
	if err != nil {
		panic(err)
	}
	fmt.Println(object.Key, "in version", object.Version)
	for _, owner := range object.Owners {
		fmt.Println(owner.Key, "unresolved:", owner.Unresolved)
	}
	// Output:
	// Pod/shop/web@1 in version 7
	// Pod/shop/parent@2 unresolved: false
	// Node/one@3 unresolved: false
	// "shop.example/Cart"/full@4 unresolved: true
}

// discovery is a server that has Pods and Nodes and nothing else.
func discovery(w http.ResponseWriter, r *http.Request) {
	const verbs = `"verbs":["delete","get","list","patch","watch"]`
	w.Header().Set("Content-Type", "application/json")
	switch r.URL.Path {
	case "/api":
		fmt.Fprint(w, `{"kind":"APIVersions","versions":["v1"]}`)
	case "/apis":
		fmt.Fprint(w, `{"kind":"APIGroupList","apiVersion":"v1"}`)
	case "/api/v1":
		fmt.Fprint(w, `{"kind":"APIResourceList","groupVersion":"v1","resources":[
			{"name":"pods","kind":"Pod","namespaced":true,`+verbs+`},{"name":"nodes","kind":"Node",`+verbs+`}]}`)
	}
}

// A reference with a policy is in an annotation of the dependent. Kubernetes' own collector does not
// know it.
func ExampleSetOwner() {
	web := &metav1.ObjectMeta{Namespace: "shop", Name: "web"}
	deployment := schema.GroupVersionKind{Group: "apps", Version: "v1", Kind: "Deployment"}
	site := metav1.OwnerReference{APIVersion: "example.org/v1", Kind: "Site", Name: "front", UID: "8d12"}
	if err := clientgo.SetOwner(web, deployment, site, graph.OnDeleteCascade); err != nil {
		panic(err)
	}
	fmt.Println(web.Annotations[clientgo.OwnersAnnotation])
	fmt.Println(len(web.OwnerReferences), "owner references")
	// Output:
	// {"dependent":{"kind":"apps/Deployment","namespace":"shop","name":"web"},"references":[{"apiVersion":"example.org/v1","kind":"Site","name":"front","uid":"8d12","onDelete":"cascade"}]}
	// 0 owner references
}
