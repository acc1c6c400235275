package spell

import (
	"cmp"
	"slices"
	"strings"

	"github.com/ownergraph/ownergraph/graph"
)

// kindOfShort returns the kind that a short name of kubectl stands for, or "". The names are those of
// the kinds that a Kubernetes server has by itself.
//
//test:by TestShortNames
func kindOfShort(name string) graph.Kind {
	switch strings.ToLower(name) {
	case "cm":
		return "ConfigMap"
	case "cs":
		return "ComponentStatus"
	case "ep":
		return "Endpoints"
	case "ev":
		return "Event"
	case "limits":
		return "LimitRange"
	case "no":
		return "Node"
	case "ns":
		return "Namespace"
	case "po":
		return "Pod"
	case "pv":
		return "PersistentVolume"
	case "pvc":
		return "PersistentVolumeClaim"
	case "quota":
		return "ResourceQuota"
	case "rc":
		return "ReplicationController"
	case "sa":
		return "ServiceAccount"
	case "svc":
		return "Service"
	}
	return groupedShort(name)
}

// groupedShort returns the kind of a group that a short name stands for.
func groupedShort(name string) graph.Kind {
	switch strings.ToLower(name) {
	case "crd", "crds":
		return "apiextensions.k8s.io/CustomResourceDefinition"
	case "deploy":
		return "apps/Deployment"
	case "ds":
		return "apps/DaemonSet"
	case "rs":
		return "apps/ReplicaSet"
	case "sts":
		return "apps/StatefulSet"
	case "hpa":
		return "autoscaling/HorizontalPodAutoscaler"
	case "cj":
		return "batch/CronJob"
	case "csr":
		return "certificates.k8s.io/CertificateSigningRequest"
	case "ing":
		return "networking.k8s.io/Ingress"
	case "ip":
		return "networking.k8s.io/IPAddress"
	case "netpol":
		return "networking.k8s.io/NetworkPolicy"
	case "pdb":
		return "policy/PodDisruptionBudget"
	case "pc":
		return "scheduling.k8s.io/PriorityClass"
	case "sc":
		return "storage.k8s.io/StorageClass"
	case "vac":
		return "storage.k8s.io/VolumeAttributesClass"
	}
	return ""
}

// maxSimilar bounds the letters by which a misspelt word may differ.
const maxSimilar = 2

// Similar returns the words that differ from a misspelt one by at most two letters, the closest first.
// A short word has to be closer. Case does not count.
//
//test:by TestSimilar
func Similar(word string, among []string) (list []string) {
	type near struct {
		word string
		far  int
	}
	var found []near
	most := min(maxSimilar, len([]rune(word))/3)
	for _, w := range among {
		if far := distance(strings.ToLower(word), strings.ToLower(w), most); far <= most {
			found = append(found, near{w, far})
		}
	}
	slices.SortFunc(found, func(a, b near) int { return cmp.Or(cmp.Compare(a.far, b.far), strings.Compare(a.word, b.word)) })
	for _, n := range slices.Compact(found) {
		list = append(list, n.word)
	}
	return list
}

// distance returns the number of letters to insert, remove, replace or swap with their neighbour, or
// most+1 for more than most. It is the optimal string alignment distance.
func distance(a, b string, most int) int {
	x, y := []rune(a), []rune(b)
	if d := len(x) - len(y); d > most || -d > most {
		return most + 1
	}
	before, last, row := make([]int, len(y)+1), make([]int, len(y)+1), make([]int, len(y)+1)
	for j := range last {
		last[j] = j
	}
	for i := 1; i <= len(x); i++ {
		row[0] = i
		for j := 1; j <= len(y); j++ {
			change := 1
			if x[i-1] == y[j-1] {
				change = 0
			}
			row[j] = min(last[j]+1, row[j-1]+1, last[j-1]+change)
			if i > 1 && j > 1 && x[i-1] == y[j-2] && x[i-2] == y[j-1] {
				row[j] = min(row[j], before[j-2]+1)
			}
		}
		before, last, row = last, row, before
	}
	return min(last[len(y)], most+1)
}
