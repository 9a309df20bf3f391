// SPDX-License-Identifier: Apache-2.0

package rollouts

import (
	"context"

	"github.com/argoproj/argo-rollouts/pkg/apis/rollouts/v1alpha1"
	argoclient "github.com/argoproj/argo-rollouts/pkg/client/clientset/versioned"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	kruntime "k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/dynamic/dynamicinformer"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/tools/cache"
)

// untyped has rollouts as the controller wants them, who writes them back in that form: without their type.
type untyped struct {
	dynamicinformer.DynamicSharedInformerFactory
	informer cache.SharedIndexInformer
}

func newUntyped(client argoclient.Interface) *untyped {
	rollouts := client.ArgoprojV1alpha1().Rollouts(namespace)
	source := &cache.ListWatch{
		ListWithContextFunc: func(ctx context.Context, options metav1.ListOptions) (kruntime.Object, error) {
			found, err := rollouts.List(ctx, options)
			if err != nil {
				return nil, err
			}
			list := &unstructured.UnstructuredList{}
			list.SetResourceVersion(found.ResourceVersion)
			for i := range found.Items {
				list.Items = append(list.Items, *untypedOf(&found.Items[i]))
			}
			return list, nil
		},
		WatchFuncWithContext: func(ctx context.Context, options metav1.ListOptions) (watch.Interface, error) {
			events, err := rollouts.Watch(ctx, options)
			if err != nil {
				return nil, err
			}
			return watch.Filter(events, func(event watch.Event) (watch.Event, bool) {
				if rollout, ok := event.Object.(*v1alpha1.Rollout); ok {
					event.Object = untypedOf(rollout)
				}
				return event, true
			}), nil
		},
	}
	return &untyped{informer: cache.NewSharedIndexInformer(source, &unstructured.Unstructured{}, 0,
		cache.Indexers{cache.NamespaceIndex: cache.MetaNamespaceIndexFunc})}
}

func untypedOf(object kruntime.Object) *unstructured.Unstructured {
	fields, err := kruntime.DefaultUnstructuredConverter.ToUnstructured(object)
	if err != nil {
		panic(err)
	}
	untyped := &unstructured.Unstructured{Object: fields}
	if _, ok := object.(*v1alpha1.Rollout); ok { // typed clients leave it out
		untyped.SetGroupVersionKind(v1alpha1.SchemeGroupVersion.WithKind("Rollout"))
	}
	return untyped
}

func (u *untyped) ForResource(schema.GroupVersionResource) informers.GenericInformer { return u }

func (u *untyped) Informer() cache.SharedIndexInformer { return u.informer }

func (u *untyped) Lister() cache.GenericLister {
	return cache.NewGenericLister(u.informer.GetIndexer(), v1alpha1.RolloutGVR.GroupResource())
}
