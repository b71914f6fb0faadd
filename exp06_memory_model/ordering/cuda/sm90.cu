// No GLSL twin: Vulkan has no scope of a cluster; its fences that only acquire or release are in fence.comp.
// What came with compute capability 9.0: the scope of a cluster, and fences that only acquire or only release. (ptxas 13.0
// takes those fences for sm_80, too, and makes nothing of them.)
#include "atomic.cuh"
#include "fence.cuh"
#include "load.cuh"
#include "message.cuh"
#include "store.cuh"

LOAD_ORDER(relaxed_cluster, "relaxed.cluster")
LOAD_ORDER(acquire_cluster, "acquire.cluster")
LOAD_FENCE(cluster)
LOAD_FENCE_ONE_WAY(cta)
LOAD_FENCE_ONE_WAY(cluster)
LOAD_FENCE_ONE_WAY(gpu)
LOAD_FENCE_ONE_WAY(sys)
LOAD_SC(cluster)

STORE_ORDER(relaxed, cluster)
STORE_ORDER(release, cluster)
STORE_FENCE(cluster)
STORE_FENCE_ONE_WAY(cta)
STORE_FENCE_ONE_WAY(cluster)
STORE_FENCE_ONE_WAY(gpu)
STORE_FENCE_ONE_WAY(sys)
STORE_SC(cluster)

ADD_ORDER(relaxed_cluster, "relaxed.cluster")
ADD_ORDER(acquire_cluster, "acquire.cluster")
ADD_ORDER(release_cluster, "release.cluster")
ADD_ORDER(acq_rel_cluster, "acq_rel.cluster")
ADD_SC(cluster)
CAS(relaxed_cluster, "relaxed.cluster")
CAS(acq_rel_cluster, "acq_rel.cluster")

EACH_SCOPE(FENCE_ORDER, acquire)
FENCE_ORDER(acquire_cluster, "acquire.cluster")
EACH_SCOPE(FENCE_ORDER, release)
FENCE_ORDER(release_cluster, "release.cluster")
FENCE_ORDER(acq_rel_cluster, "acq_rel.cluster")
FENCE(seq_cst_cluster, "fence.sc.cluster;")

MESSAGES(cluster, __cluster_dims__(2, 1, 1))
