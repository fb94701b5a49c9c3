import pulumi
import pulumi_gpufleet as gpufleet

region = "us-central-1"
gpu_count = pulumi.Config().get_int("gpuCount") or 8

dataset = gpufleet.StorageVolume("dataset", region=region, size_in_gb=1024)
train = gpufleet.BareMetalRental(
    "train",
    network_type=gpufleet.NetworkType.INFINIBAND,
    gpu_count=gpu_count,
    region=region,
)
gpufleet.VolumeAttachment(
    "dataset-on-train",
    storage_volume_id=dataset.storage_volume_id,
    rental_ids=[train.rental_id],
)
login = gpufleet.VmRental("login", gpu_count=1, region=region)
worker = gpufleet.MarketplaceInstance(
    "worker",
    gpu_count=1,
    select={"gpu_model": "A100", "max_price_per_hour": 2},
    image={"name": "ubuntu", "tag": "24.04", "port": 22},
)

pulumi.export("trainId", train.rental_id)
pulumi.export("status", [dataset.status, train.status, login.status, worker.status])
