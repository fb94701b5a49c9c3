package main

import (
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi/config"

	"pulumi-gpufleet/sdk/go/gpufleet"
)

func main() {
	pulumi.Run(func(ctx *pulumi.Context) error {
		gpuCount := config.New(ctx, "").GetInt("gpuCount")
		if gpuCount == 0 {
			gpuCount = 8
		}
		dataset, err := gpufleet.NewStorageVolume(ctx, "dataset", &gpufleet.StorageVolumeArgs{
			Region:   gpufleet.StorageVolumeRegionUsCentral1,
			SizeInGb: pulumi.Int(1024),
		})
		if err != nil {
			return err
		}
		train, err := gpufleet.NewBareMetalRental(ctx, "train", &gpufleet.BareMetalRentalArgs{
			NetworkType: gpufleet.NetworkTypeInfiniband,
			GpuCount:    pulumi.Int(gpuCount),
			Region:      gpufleet.BareMetalRentalRegionUsCentral1,
		})
		if err != nil {
			return err
		}
		_, err = gpufleet.NewVolumeAttachment(ctx, "dataset-on-train", &gpufleet.VolumeAttachmentArgs{
			StorageVolumeId: dataset.StorageVolumeId,
			RentalIds:       pulumi.IntArray{train.RentalId},
		})
		if err != nil {
			return err
		}
		login, err := gpufleet.NewVmRental(ctx, "login", &gpufleet.VmRentalArgs{
			GpuCount: pulumi.Int(1),
			Region:   gpufleet.VmRentalRegionUsCentral1,
		})
		if err != nil {
			return err
		}
		worker, err := gpufleet.NewMarketplaceInstance(ctx, "worker", &gpufleet.MarketplaceInstanceArgs{
			GpuCount: pulumi.Int(1),
			Select: &gpufleet.MarketplaceInstanceSelectArgs{
				GpuModel:        pulumi.String("A100"),
				MaxPricePerHour: pulumi.Float64(2),
			},
			Image: &gpufleet.MarketplaceInstanceImageArgs{
				Name: pulumi.String("ubuntu"),
				Tag:  pulumi.String("24.04"),
				Port: pulumi.Int(22),
			},
		})
		if err != nil {
			return err
		}
		ctx.Export("trainId", train.RentalId)
		ctx.Export("status", pulumi.StringArray{dataset.Status, train.Status, login.Status, worker.Status})
		return nil
	})
}
