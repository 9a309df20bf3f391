// SPDX-License-Identifier: Apache-2.0

// Package manifests reads the YAML files of ci/argo as strictly as an API server does that rejects what it does not
// know.
package manifests

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"

	"github.com/argoproj/argo-rollouts/pkg/apis/rollouts/v1alpha1"
	flagger "github.com/fluxcd/flagger/pkg/apis/flagger/v1beta1"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	kruntime "k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/serializer"
	"k8s.io/apimachinery/pkg/util/yaml"
)

// Root is the folder ci/argo, wherever the test runs.
func Root() string {
	_, file, _, _ := runtime.Caller(0)
	return filepath.Dir(filepath.Dir(file))
}

// Read decodes all documents of a file below ci/argo. Unknown and repeated fields are errors.
func Read(name string) ([]kruntime.Object, error) {
	text, err := os.ReadFile(filepath.Join(Root(), name))
	if err != nil {
		return nil, err
	}
	scheme := kruntime.NewScheme()
	for _, add := range []func(*kruntime.Scheme) error{
		v1alpha1.AddToScheme, flagger.AddToScheme, corev1.AddToScheme, appsv1.AddToScheme, networkingv1.AddToScheme,
	} {
		if err := add(scheme); err != nil {
			return nil, err
		}
	}
	decoder := serializer.NewCodecFactory(scheme, serializer.EnableStrict).UniversalDeserializer()
	var objects []kruntime.Object
	documents := yaml.NewYAMLReader(bufio.NewReader(bytes.NewReader(text)))
	for {
		document, err := documents.Read()
		if errors.Is(err, io.EOF) {
			return objects, nil
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		object, _, err := decoder.Decode(document, nil, nil)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		objects = append(objects, object)
	}
}

// Files are all manifests below ci/argo, by their paths from there; what kustomize reads is not among them.
func Files() ([]string, error) {
	var files []string
	for _, pattern := range []string{"*/*.yaml"} {
		found, err := filepath.Glob(filepath.Join(Root(), pattern))
		if err != nil {
			return nil, err
		}
		for _, file := range found {
			if filepath.Base(file) == "kustomization.yaml" {
				continue
			}
			name, err := filepath.Rel(Root(), file)
			if err != nil {
				return nil, err
			}
			files = append(files, name)
		}
	}
	return files, nil
}
