package graph_test

import (
	"encoding/json"
	"fmt"

	"github.com/ownergraph/ownergraph/graph"
)

func ExampleObject_MarshalJSON() {
	o, _ := graph.ParseObject("pod/shop/web@8d12#3[example.org/empty] -> rs/shop/front@77aa!")
	text, _ := json.Marshal(o)
	fmt.Println(string(text))

	var back graph.Object
	fmt.Println(json.Unmarshal(text, &back), back.Equal(o))
	fmt.Println(json.Unmarshal([]byte(`{"kind": "pod", "name": "web", "Owners": []}`), &back))
	// Output:
	// {"kind":"pod","scope":"shop","name":"web","uid":"8d12","version":"3","owners":[{"kind":"rs","scope":"shop","name":"front","uid":"77aa","block":true}],"finalizers":["example.org/empty"]}
	// <nil> true
	// read object: "Owners": unknown field: invalid
}

func ExampleParsePlace() {
	place := graph.Key{Kind: "apps/Deployment", Scope: "shop", Name: "web"}
	fmt.Println(place.PlaceString())

	back, err := graph.ParsePlace(`"apps/Deployment"/shop/web`)
	fmt.Println(back == place, err)
	_, err = graph.ParsePlace("node/n1@8d12")
	fmt.Println(err)
	// Output:
	// "apps/Deployment"/shop/web
	// true <nil>
	// parse place: byte 8: place: want the end, found "@": invalid
}
