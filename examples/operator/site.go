package main

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// Site is a web site with pages and a bucket outside of the cluster. crd.yaml defines
// it.
type Site struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`
	// Pages has the text of each page by its name.
	Pages map[string]string `json:"pages,omitempty"`
}

// SiteList is a list of sites.
type SiteList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`
	Items           []Site `json:"items"`
}

// addSites adds the kind to a scheme.
func addSites(s *runtime.Scheme) {
	at := schema.GroupVersion{Group: "example.org", Version: "v1"}
	s.AddKnownTypes(at, &Site{}, &SiteList{})
	metav1.AddToGroupVersion(s, at)
}

// DeepCopyObject is the code that controller-gen writes.
func (s *Site) DeepCopyObject() runtime.Object {
	out := &Site{TypeMeta: s.TypeMeta, ObjectMeta: *s.ObjectMeta.DeepCopy()}
	for name, text := range s.Pages {
		if out.Pages == nil {
			out.Pages = map[string]string{}
		}
		out.Pages[name] = text
	}
	return out
}

// DeepCopyObject is the code that controller-gen writes.
func (l *SiteList) DeepCopyObject() runtime.Object {
	out := &SiteList{TypeMeta: l.TypeMeta, ListMeta: *l.ListMeta.DeepCopy()}
	for i := range l.Items {
		out.Items = append(out.Items, *l.Items[i].DeepCopyObject().(*Site))
	}
	return out
}
