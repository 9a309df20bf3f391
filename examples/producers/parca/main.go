// SPDX-License-Identifier: Apache-2.0

// Sends pprof profiles to a Parca server, as one series of CPU profiles with the labels job="shop" and a version.
package main

import (
	"context"
	"log"
	"os"

	store "github.com/parca-dev/parca/gen/proto/go/parca/profilestore/v1alpha1"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
)

func main() {
	if len(os.Args) < 4 {
		log.Fatal("usage: send HOST:PORT VERSION PROFILE...")
	}
	connection, err := grpc.NewClient(os.Args[1], grpc.WithTransportCredentials(insecure.NewCredentials()))
	if err != nil {
		log.Fatal(err)
	}
	labels := &store.LabelSet{Labels: []*store.Label{
		{Name: "__name__", Value: "process_cpu"}, {Name: "job", Value: "shop"}, {Name: "version", Value: os.Args[2]},
	}}
	for _, path := range os.Args[3:] {
		profile, err := os.ReadFile(path)
		if err != nil {
			log.Fatal(err)
		}
		request := &store.WriteRawRequest{Series: []*store.RawProfileSeries{
			{Labels: labels, Samples: []*store.RawSample{{RawProfile: profile}}},
		}}
		if _, err := store.NewProfileStoreServiceClient(connection).WriteRaw(context.Background(), request); err != nil {
			log.Fatal(path, ": ", err)
		}
	}
}
